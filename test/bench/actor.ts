/** A process that runs one contender, as its parent tells it. Every message is a verb and its answer. */

import { cpuMs, now, rest } from './harness/clock.ts';
import { chunkOf, makeData } from './harness/payload.ts';
import type { Actor, Finished, Job, Request, Response, Submission } from './harness/protocol.ts';
import type { Bench, Payload } from './queues/contender.ts';
import { contenders } from './queues/contenders.ts';

let bench: Bench;
let worked: Working | undefined;

/** A worker at work. */
interface Working {
  readonly done: () => number;
  readonly finish: () => Promise<Finished>;
}

const actor: Actor = {
  open: async (contender, place) => {
    const load = contenders[contender];
    if (load === undefined) throw new Error(`There is no contender called ${contender}.`);
    bench = await (await load()).open(place);
  },
  submit: async (submission) => {
    const [startedAt, startedCpu] = [now(), cpuMs()];
    await (submission.way === 'bulk' ? submitInBulk(submission) : submitOneByOne(submission, submission.way));
    return { ms: now() - startedAt, cpuMs: cpuMs() - startedCpu };
  },
  trickle: async (count, everyMs) => {
    const data = makeData(0);
    const sent: Promise<unknown>[] = [];
    for (let n = 0; n < count; n += 1) {
      sent.push(bench.submit({ n, at: now(), data }));
      await rest(everyMs);
    }
    await Promise.all(sent);
  },
  start: async (job) => {
    worked = await startWork(job);
  },
  done: async () => worked?.done() ?? 0,
  untilSettled: async () => {
    if (bench.isSettled === undefined) return undefined;
    for (;;) {
      const askedAt = now();
      if (await bench.isSettled()) return askedAt;
      await rest(1);
    }
  },
  finish: async () => {
    const finished = await worked?.finish();
    worked = undefined;
    if (finished === undefined) throw new Error('No worker was started.');
    return finished;
  },
  count: () => bench.count(),
  look,
  close: async () => {
    await bench.close();
  },
};

async function submitInBulk({ count, bytes, dueAt, tasks = 1, failures }: Submission): Promise<void> {
  const data = makeData(bytes);
  const size = Math.min(chunkOf(bytes), Math.ceil(count / tasks));
  const starts = Array.from({ length: Math.ceil(count / size) }, (_, index) => index * size);
  const submitNext = async (): Promise<void> => {
    for (let first = starts.shift(); first !== undefined; first = starts.shift()) {
      const [from, task] = [first, Math.floor(first / size) % tasks];
      const payloads = Array.from({ length: Math.min(size, count - from) }, (_, n) => ({
        n: from + n,
        data,
      }));
      await bench.submitBulk(payloads, { dueAt, task, failures });
    }
  };
  await Promise.all(Array.from({ length: tasks > 1 ? 8 : 1 }, submitNext));
}

async function submitOneByOne({ count, bytes }: Submission, inFlight: number): Promise<void> {
  const data = makeData(bytes);
  let next = 0;
  const submitNext = async (): Promise<void> => {
    while (next < count) await bench.submit({ n: next++, data });
  };
  await Promise.all(Array.from({ length: inFlight }, submitNext));
}

async function startWork({ count, handlerMs, failures, ...job }: Job): Promise<Working> {
  const executed = new Uint8Array(count);
  const waits: number[] = [];
  let done = 0;
  let lastAt = 0;
  const handle = async ({ n, at }: Payload): Promise<void> => {
    const before = executed[n] ?? 0;
    executed[n] = before + 1;
    if (at !== undefined) waits.push(now() - at);
    if (before < failures) throw new Error('not yet');
    if (handlerMs > 0) await rest(handlerMs);
  };
  const onDone = (): void => {
    done += 1;
    lastAt = now();
  };
  const [startedAt, startedCpu] = [now(), cpuMs()];
  const stop = await bench.work({ ...job, failures, handle, onDone });
  return {
    done: () => done,
    finish: async () => {
      const spentMs = cpuMs() - startedCpu;
      await stop();
      return { startedAt, lastAt, cpuMs: spentMs, executed, waits };
    },
  };
}

async function look(
  start: number,
  calls: number,
): Promise<{ listMs: number; countMs: number; blockedMs: number }> {
  let [tickedAt, blockedMs] = [now(), 0];
  const timer = setInterval(() => {
    blockedMs = Math.max(blockedMs, now() - tickedAt - 1);
    tickedAt = now();
  }, 1);
  const timeOf = async (call: () => Promise<unknown>): Promise<number> => {
    const taken: number[] = [];
    for (let index = 0; index < calls; index += 1) {
      const startedAt = now();
      await call();
      taken.push(now() - startedAt);
    }
    return taken.sort((one, other) => one - other)[Math.floor(calls / 2)] ?? Number.NaN;
  };
  const listMs = await timeOf(async () => bench.list?.({ start, limit: 100 }));
  const countMs = await timeOf(() => bench.count());
  clearInterval(timer);
  return { listMs, countMs, blockedMs };
}

process.on('message', async ({ id, verb, args }: Request) => {
  const answer = (response: Response): void => void process.send?.(response);
  try {
    const call = actor[verb] as (...args: readonly unknown[]) => Promise<unknown>; // the parent's types are the same
    answer({ id, result: await call(...args) });
  } catch (error) {
    answer({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.on('disconnect', () => process.exit());
