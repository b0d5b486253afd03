import pg from 'pg';
import type { Contender } from './contender.ts';

/** Returns the runs per second in each eighth of a backlog, while another transaction keeps a snapshot from its start. */
export async function pinned(
  contender: Contender,
  { url, count }: { readonly url: string; readonly count: number },
): Promise<readonly number[]> {
  const bench = await contender.open();
  for (let from = 0; from < count; from += 1_000) {
    await bench.submitBulk(Array.from({ length: 1_000 }, (_, index) => from + index));
  }
  const old = new pg.Client({ connectionString: url });
  await old.connect();
  await old.query('analyze');
  await old.query('begin isolation level repeatable read');
  await old.query('select 1');
  const marks = [performance.now()];
  let done = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const stop = await bench.work({
    concurrency: 100,
    onDone: () => {
      done += 1;
      if (done % (count / 8) === 0) marks.push(performance.now());
      if (done === count) finish();
    },
  });
  await finished;
  await stop();
  await old.query('rollback');
  await old.end();
  await bench.close();
  return marks.slice(1).map((mark, index) => (count / 8 / (mark - (marks[index] ?? 0))) * 1_000);
}
