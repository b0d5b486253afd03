import { isWanted, printMarkdown, short } from '../report.ts';
import { actorOf, endActors } from './actors.ts';
import { openAll } from './samples.ts';
import type { BenchServer } from './server.ts';

const CALLS = 5;

/** What an operator sees of a queue in which very many runs wait: a page of 100 of them, and the counts. */
export async function lookAtMany(
  server: BenchServer,
  contenders: readonly string[],
  count: number,
): Promise<void> {
  const title = `${count.toLocaleString('en').replaceAll(',', ' ')} waiting: a page of 100, and the counts`;
  if (!isWanted(title)) return;
  const rows: string[][] = [];
  for (const contender of contenders) {
    try {
      rows.push([contender, ...(await lookOnce(server, contender, count))]);
    } catch (error) {
      rows.push([contender, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)]);
      endActors(contender);
    }
  }
  const columns = ['', 'page, ms', 'counts, ms', 'caller blocked, ms', 'submitted in, s'];
  printMarkdown(`${title} (one round, median of ${CALLS} calls)`, columns, rows);
}

async function lookOnce(server: BenchServer, contender: string, count: number): Promise<readonly string[]> {
  const actor = actorOf(contender);
  await openAll(server, contender, [actor]);
  const { ms } = await actor.submit({ count, bytes: 0, way: 'bulk' });
  const seen = await actor.look(0, CALLS);
  await actor.close();
  return [seen.listMs, seen.countMs, seen.blockedMs, ms / 1_000].map(short);
}
