/** A worker process: `blocked-member.mjs <system> <place>`. It sends what happens to its parent, and answers what that asks. */
import type { Question, Response } from './process.ts';
import type { Note, Place } from './system.ts';
import type { SystemName } from './systems.ts';
import { SYSTEMS } from './systems.ts';

const [system = 'thread', place = '{}'] = process.argv.slice(2);
const { work } = await SYSTEMS[system as SystemName](); // as our parent says
const send = (response: Response): Promise<void> =>
  new Promise((resolve) => void process.send?.(response, undefined, undefined, () => resolve()));
const note: Note = (type, id) => send({ fact: { type, id, at: Date.now() } });
const { rate } = await work(JSON.parse(place) as Place, note); // as our parent says

/** The processor time of all threads of this process. */
function cpuMs(): number {
  const { user, system: kernel } = process.cpuUsage();
  return (user + kernel) / 1_000;
}

process.on('message', async (question: Question) => {
  switch (question.of) {
    case 'rate':
      await send({ answer: await rate?.(question.runs) });
      break;
    case 'rssBytes':
      globalThis.gc?.();
      await send({ answer: process.memoryUsage.rss() });
      break;
    case 'cpuMs':
      await send({ answer: cpuMs() });
      break;
  }
});
process.on('disconnect', () => process.exit());
await note('ready', '');
