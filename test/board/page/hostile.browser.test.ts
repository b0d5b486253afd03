import { createServer } from 'node:http';
import { createBoard, toNodeListener } from '@retry/board';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBarriers, openPage } from '../../support/browser/chromium.ts';
import { describeInChromium } from '../../support/browser/describe-in-chromium.ts';

const MARKUP = '<script>globalThis.hacked = 1</script><img src=x onerror="globalThis.hacked = 1">';
const RIGHT_TO_LEFT = '\u202Eמשהו השתבש\u202C';

/** Text of 512 bytes, the most that a name may have. */
const NAME = `${MARKUP}${RIGHT_TO_LEFT}`.padEnd(
  512 - Buffer.byteLength(RIGHT_TO_LEFT) + RIGHT_TO_LEFT.length,
  'x',
);

describeInChromium('hostile data on the board', (browser) => {
  const broker = createMemoryBroker();
  const queue = createQueue({ broker });
  const access = () => ({ read: true, hold: true, unmask: true, by: NAME });
  const board = createBoard({ broker, access });
  const server = createServer(toNodeListener(board));
  const task = defineTask({
    name: NAME.slice(0, -2),
    version: '1',
    maxPayloadBytes: 16 * 1024 * 1024,
    run: async (_: { text: string }) => {},
  });
  let url = '';
  let id = '';

  beforeAll(async () => {
    const text = `${MARKUP}${RIGHT_TO_LEFT}${'y'.repeat(10 * 1024 * 1024)}`;
    ({ id } = await queue.submit(task, { text }));
    await queue.fail(id, Object.assign(new Error(`${MARKUP}${RIGHT_TO_LEFT}`), { name: NAME, code: MARKUP }));
    await queue.hold(task, { reason: MARKUP, by: NAME });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });

  afterAll(async () => {
    board.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await broker.close();
  });

  it.each(['failures', 'retries', 'storm', 'overview', 'workers', 'operations', 'search?state=failed'])(
    'is text on the screen %s, which stays as wide as it is',
    async (screen) => {
      const { page, complaints } = await openPage(browser(), `${url}#/${screen}`, { width: 390 });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading …').waitFor({ state: 'detached' });

      expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
      expect(await page.locator('main script, main img:not([role])').count()).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      expect(await findBarriers(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  it('cuts a payload of 10 MiB, and says so', async () => {
    const { page, complaints } = await openPage(browser(), `${url}#/runs/${id}`, { width: 390 });

    await page.getByText(/the first 65.?536 of 10.?\d\d\d.?\d\d\d characters/).waitFor();

    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
