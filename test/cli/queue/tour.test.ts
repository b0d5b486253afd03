import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillQueue } from '../../../docs/demo/shop/fill-queue.ts';
import type { ClockedRedis } from '../../redis-queue/scripted-redis.ts';
import { openClockedRedis } from '../../redis-queue/scripted-redis.ts';
import { clockBroker } from '../../support/clocked-broker.ts';
import { readText, root } from '../../support/repository.ts';
import { describeOnRedis } from '../../support/servers/describe-on-redis.ts';
import type { Stage } from '../../support/stage.ts';
import { run } from '../run-in-memory.ts';
import { splitWords } from '../split-words.ts';

const PAGE = 'docs/shell-tour.md';

/** The blocks of the page that show a command and its output. */
const BLOCK = /^```text\n\$ retry (.*)\n([\s\S]*?)\n```$/gm;

/** When the shop opens, on the server's clock. */
const OPENS_AT = Date.UTC(2026, 4, 4, 9);

/** How long the queue is left alone before the first command. */
const LATER = '40s';

/** What a frame of a stack says before that, be it a path or a URL. */
const pathToDemo = /(?:file:\/\/)?\/[^()]*(?=\/docs\/demo\/)/;

describeOnRedis(PAGE, (server) => {
  let redis: ClockedRedis;
  let stage: Stage;
  beforeAll(async () => {
    redis = await openClockedRedis(server().url);
    const { openBroker, setTime } = redis.openQueue();
    await setTime(OPENS_AT);
    stage = clockBroker(await openBroker({ keepCompleted: { count: 1_000 } }), setTime, OPENS_AT);
    await fill(stage);
  });
  afterAll(async () => {
    await stage.close();
    await redis.close();
  });

  it('shows what is printed', async () => {
    const page = readText(PAGE);
    const shown = [...page.matchAll(BLOCK)].map(([, command = '', output = '']) => ({ command, output }));
    expect(shown.length).toBeGreaterThan(15);

    const printed: typeof shown = [];
    for (const { command } of shown) printed.push({ command, output: await print(command, stage) });

    if (process.env['RETRY_RECORD']) {
      let index = 0;
      const record = () =>
        `\`\`\`text\n$ retry ${printed[index]?.command}\n${printed[index++]?.output}\n\`\`\``;
      writeFileSync(join(root, PAGE), page.replaceAll(BLOCK, record));
    } else {
      const cure = 'To record it again: RETRY_RECORD=1 npm test -- --project cli tour';
      expect(printed.map(sameIds), cure).toEqual(shown.map(sameIds));
    }
  });
});

/** Fills the queue as the demo does, in virtual time. Its errors have the stacks that they have in the folder `/app`. */
async function fill({ clock, broker }: Stage): Promise<void> {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = stackInApp;
  let isFilled = false;
  const filled = fillQueue({ broker, clock, random: () => 0.5 }).finally(() => {
    isFilled = true;
  });
  while (!isFilled) await clock.advance(10);
  await filled.finally(() => {
    Error.prepareStackTrace = prepareStackTrace;
  });
  await clock.advance(LATER);
}

/** Returns a stack of the demo's lines only. Longer paths would be wrapped elsewhere when they are printed. */
function stackInApp(error: Error, frames: readonly NodeJS.CallSite[]): string {
  const lines = frames.map((frame) => `    at ${frame}`).filter((line) => line.includes('/docs/demo/'));
  return [`${error}`, ...lines.map((line) => line.replace(pathToDemo, '/app'))].join('\n');
}

/** Runs a command, as on 80 columns without colours. Cursors are shortened. */
async function print(command: string, { clock, broker, aheadMs }: Stage): Promise<string> {
  const now = (): number => aheadMs + Math.floor(clock.now());
  const { all } = await run(splitWords(command), { broker, now });
  return all
    .replaceAll('the given broker', 'redis://app:6379')
    .replaceAll(/(?<=--after \S{8})\S+/g, '…')
    .trimEnd();
}

/** Ids of operations and cursors are random, and a stack has the lines of the demo's source. */
function sameIds({ command, output }: { readonly command: string; readonly output: string }) {
  const text = output
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/--after \S+/g, '--after <cursor>')
    .replaceAll(/:\d+:\d+\)?$/gm, ':<line>');
  return { command, text };
}
