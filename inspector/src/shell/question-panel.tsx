import { useState } from "preact/hooks";
import type { Answer, Question } from "../../../src/inspector/messages/question.ts";
import type { Failure } from "../../../src/inspector/messages/reply.ts";
import { Badge } from "../parts/badge.tsx";
import { FailureNote } from "../parts/failure-note.tsx";
import { request, toFailure } from "../state/link.ts";
import { hrefOf } from "../state/route.ts";
import { connectionOf, questions } from "../state/session.ts";
import { FormQuestion } from "./questions/form-question.tsx";
import { SamplingQuestion } from "./questions/sampling-question.tsx";
import {
  InputQuestion,
  LoginQuestion,
  RootsQuestion,
  RunQuestion,
  UrlQuestion,
} from "./questions/short-questions.tsx";

const titles: Readonly<Record<Question["kind"], string>> = {
  form: "The server asks you",
  url: "The server wants you to visit an address",
  sampling: "The server asks for a model",
  roots: "The server asks for your folders",
  run: "Run this on your machine?",
  login: "Log in to the server",
  input: "A value is needed",
};

/** Questions about what the person has just asked for; nothing goes on before the answer. */
const isOwn: Readonly<Partial<Record<Question["kind"], true>>> = { run: true, login: true, input: true };

/**
 * Questions that only the person can answer, oldest first. Those of servers are beside whatever is shown, the others in
 * the middle, where the person looks.
 */
export function QuestionPanel() {
  if (questions.value.length === 0) return null;
  const isMiddle = questions.value.some(({ kind }) => isOwn[kind]);
  return (
    <aside class={isMiddle ? "questions middle" : "questions"} aria-label="Questions" aria-live="polite">
      {questions.value.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
    </aside>
  );
}

function QuestionCard({ question }: { readonly question: Question }) {
  const [failure, setFailure] = useState<Failure>();
  const answer = (given: Answer) => {
    request("answer", { question: question.id, answer: given }).then(
      () => setFailure(undefined),
      (error: unknown) => setFailure(toFailure(error)),
    );
  };
  return (
    <section class="question" aria-labelledby={`question-${question.id}`}>
      <div class="row wraps apart">
        <h2 id={`question-${question.id}`}>{titles[question.kind]}</h2>
        <Badge tone="info">{connectionOf(question.connection)?.label ?? question.connection}</Badge>
      </div>
      <Body question={question} onAnswer={answer} />
      {failure && <FailureNote failure={failure} />}
      {question.seq !== undefined && (
        <a class="tiny" href={hrefOf(["wire"], { message: String(question.seq) })}>
          Show the request on the wire
        </a>
      )}
    </section>
  );
}

function Body({
  question,
  onAnswer,
}: {
  readonly question: Question;
  readonly onAnswer: (answer: Answer) => void;
}) {
  switch (question.kind) {
    case "form":
      return <FormQuestion ask={question.ask} onAnswer={onAnswer} />;
    case "url":
      return <UrlQuestion ask={question.ask} onAnswer={onAnswer} />;
    case "sampling":
      return <SamplingQuestion id={question.id} ask={question.ask} onAnswer={onAnswer} />;
    case "roots":
      return <RootsQuestion onAnswer={onAnswer} />;
    case "run":
      return <RunQuestion run={question.run} onAnswer={onAnswer} />;
    case "login":
      return <LoginQuestion url={question.url} origin={question.origin} onAnswer={onAnswer} />;
    case "input":
      return <InputQuestion input={question.input} onAnswer={onAnswer} />;
  }
}
