// A server in a worker thread: it can use all of a core, and the program that started it goes on meanwhile.
import { parentPort } from "node:worker_threads";
import { createServer, servePort, tool } from "allspeak";
import { z } from "zod";

const countPrimes = tool(
  "count-primes",
  { description: "Counts the primes below a number", input: z.object({ below: z.number().int().max(1e7) }) },
  ({ below }) => {
    const isComposite = new Uint8Array(below);
    let primes = 0;
    for (let number = 2; number < below; number++) {
      if (isComposite[number]) continue;
      primes++;
      for (let multiple = number * number; multiple < below; multiple += number) isComposite[multiple] = 1;
    }
    return `${primes}`;
  },
);

if (parentPort === null) throw new Error("This module runs in a worker: examples/worker/main.ts starts it.");
servePort(createServer({ name: "primes", version: "1.0.0", tools: [countPrimes] }), parentPort);
