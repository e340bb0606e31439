import type { HttpOptions, State } from "allspeak/http";
import { type Balancer, openBalancer } from "../support/balancer.ts";
import { entries, type Listening, open } from "../support/http/entries.ts";
import { createFixture, type Fixture } from "../support/http/fixture.ts";
import { sharedMemory } from "../support/shared-state.ts";

/** A node of the fixture server, with its own server value. */
export interface FixtureNode extends Fixture, Listening {}

export interface Nodes {
  readonly state: State;
  readonly nodes: readonly [FixtureNode, FixtureNode, FixtureNode];
  /** Sends each request to a node at random. */
  readonly balancer: Balancer;
}

/** Starts three nodes that share a state, until the test is over. `connect` gives each its own way to the store. */
export async function openNodes(
  options: HttpOptions = {},
  connect?: () => State | Promise<State>,
): Promise<Nodes> {
  const { state = (await connect?.()) ?? sharedMemory() } = options;
  const openOne = async () => openNode({ ...options, state: (await connect?.()) ?? state });
  const nodes = [await openOne(), await openOne(), await openOne()] as const;
  return { state, nodes, balancer: await openBalancer(nodes.map(({ origin }) => origin)) };
}

/** Starts one node, until the test is over. */
export async function openNode(options: HttpOptions): Promise<FixtureNode> {
  const fixture = createFixture();
  const [entry] = entries;
  if (entry === undefined) throw new Error("There is no way to serve.");
  return { ...fixture, ...(await open(entry, fixture.server, options)) };
}
