import { ServerHeldError, ServerUnavailableError } from "../errors/host-errors.ts";

type ReportOf = (problem: Error, server: string | undefined) => void;

/** Reasons of one server that are remembered; one that gives more has been reported enough. */
const maxReasons = 20;

/**
 * Passes on why a server can't be used: each reason once until the server is ready again, although each list and call
 * tries it. Passes on all other problems.
 */
export class ReportOnce {
  readonly #report: ReportOf;
  readonly #reported = new Map<string, Set<string>>();

  constructor(report: ReportOf) {
    this.#report = report;
  }

  add(problem: Error, server: string | undefined): void {
    const isAway = problem instanceof ServerUnavailableError || problem instanceof ServerHeldError;
    if (isAway && !this.#isNew(problem.server, problem.message)) return;
    this.#report(problem, server);
  }

  /** Forgets the reasons of a server that is ready; returns whether there were any. */
  onReady(server: string): boolean {
    return this.#reported.delete(server);
  }

  #isNew(server: string, reason: string): boolean {
    const reasons = this.#reported.get(server) ?? new Set();
    this.#reported.set(server, reasons);
    if (reasons.has(reason) || reasons.size >= maxReasons) return false;
    reasons.add(reason);
    return true;
  }
}
