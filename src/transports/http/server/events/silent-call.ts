import type { Heartbeat, HeartbeatTarget } from "../../../../lib/async/heartbeat.ts";
import { endsWorkWithRequest } from "../../../../lib/runtime.ts";

/** A reply that opens its event stream when it is asked for it. */
interface SilentReply {
  stream(): unknown;
}

/**
 * Opens the event stream of a call that has been silent for one to two beats, so that its client, and whatever stands
 * between, see a sign of life. In a worker, only a write shows that the client is gone.
 */
export class SilentCall implements HeartbeatTarget {
  readonly #heartbeat: Heartbeat;
  readonly #reply: SilentReply;
  /** All calls share a beat, so the first may come at once; in a worker each has its own. */
  #isNew = !endsWorkWithRequest;

  constructor(heartbeat: Heartbeat, reply: SilentReply) {
    this.#heartbeat = heartbeat;
    this.#reply = reply;
    heartbeat.add(this);
  }

  beat(): void {
    if (this.#isNew) {
      this.#isNew = false;
      return;
    }
    this.end();
    // From now on the stream has a heartbeat of its own.
    this.#reply.stream();
  }

  end(): void {
    this.#heartbeat.remove(this);
  }
}
