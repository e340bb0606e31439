/** A promise that a run broke. */
export interface Violation {
  readonly rule:
    | "lost"
    | "doubled"
    | "out of order"
    | "invented"
    | "foreign"
    | "interrupted"
    | "stalled"
    | "unanswered"
    | "late"
    | "failed"
    | "answered twice"
    | "wrong answer"
    | "completed twice"
    | "too many runs";
  readonly what: string;
}
