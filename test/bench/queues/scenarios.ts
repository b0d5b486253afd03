import type { Bench, Contender } from './contender.ts';

/** Processor time so far, in milliseconds: of this process, and of the server if it reports it. */
export type ReadCpu = () => Promise<number>;

const IN_FLIGHT = 1_000;

/** Completed runs per second of a backlog; `cpu` in seconds per 10 000 runs. */
export async function process(
  contender: Contender,
  { count, concurrency, readCpu }: { count: number; concurrency: number; readCpu: ReadCpu },
): Promise<{ readonly rate: number; readonly cpu: number }> {
  const bench = await contender.open();
  await submitAll(bench, count, 0);
  const cpuBefore = await readCpu();
  const ms = await workOff(bench, { count, concurrency });
  const cpu = (await readCpu()) - cpuBefore;
  await bench.close();
  return { rate: (count / ms) * 1_000, cpu: cpu / 1_000 / (count / 10_000) };
}

/** Executions per second of runs that fail twice before they succeed. */
export async function failTwice(contender: Contender, count: number): Promise<number> {
  const bench = await contender.open();
  await submitAll(bench, count, 2);
  const ms = await workOff(bench, { count, concurrency: 100, failures: 2 });
  await bench.close();
  return ((count * 3) / ms) * 1_000;
}

/** Submissions per second, one call each, a thousand of them in flight. */
export async function submitOneByOne(contender: Contender, count: number): Promise<number> {
  const bench = await contender.open();
  const startedAt = performance.now();
  let next = 0;
  const submitInTurn = async (): Promise<void> => {
    while (next < count) await bench.submit(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, submitInTurn));
  const ms = performance.now() - startedAt;
  await bench.close();
  return (count / ms) * 1_000;
}

/** Submissions per second by bulk calls of a thousand. */
export async function submitInBulk(contender: Contender, count: number): Promise<number> {
  const bench = await contender.open();
  const startedAt = performance.now();
  await submitAll(bench, count, 0);
  const ms = performance.now() - startedAt;
  await bench.close();
  return (count / ms) * 1_000;
}

/** Milliseconds from submit to start, of runs submitted at a low rate to an idle worker. */
export async function latency(
  contender: Contender,
  count: number,
  perSecond: number,
): Promise<readonly number[]> {
  const bench = await contender.open();
  const submittedAt: number[] = [];
  const taken: number[] = [];
  const stop = await bench.work({
    concurrency: 100,
    onStart: (index) => void taken.push(performance.now() - (submittedAt[index] ?? Number.NaN)),
    onDone: () => {},
  });
  await rest(300);
  for (let index = 0; index < count; index += 1) {
    submittedAt[index] = performance.now();
    void bench.submit(index);
    await rest(1_000 / perSecond);
  }
  await until(() => taken.length >= count);
  await stop();
  await bench.close();
  return taken;
}

/** Milliseconds after their due instant at which delayed runs start. */
export async function lateness(contender: Contender, count: number): Promise<readonly number[]> {
  const bench = await contender.open();
  const dueAt: number[] = [];
  const late: number[] = [];
  const stop = await bench.work({
    concurrency: 100,
    onStart: (index) => void late.push(Date.now() - (dueAt[index] ?? Number.NaN)),
    onDone: () => {},
  });
  await rest(300);
  const submitting: Promise<unknown>[] = [];
  for (let index = 0; index < count; index += 1) {
    const delayMs = 200 + Math.round(Math.random() * 3_000);
    dueAt[index] = Date.now() + delayMs;
    submitting.push(bench.submit(index, { delayMs }));
  }
  await Promise.all(submitting);
  await until(() => late.length >= count);
  await stop();
  await bench.close();
  return late;
}

async function submitAll(bench: Bench, count: number, failures: number): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    const size = Math.min(1_000, count - from);
    const payloads = Array.from({ length: size }, (_, index) => from + index);
    await bench.submitBulk(payloads, { failures });
  }
}

async function workOff(
  bench: Bench,
  { count, ...work }: { count: number; concurrency: number; failures?: number },
): Promise<number> {
  let done = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const startedAt = performance.now();
  const onDone = (): void => {
    done += 1;
    if (done === count) finish();
  };
  const stop = await bench.work({ ...work, onDone });
  await finished;
  const ms = performance.now() - startedAt;
  await stop();
  return ms;
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await rest(5);
}
