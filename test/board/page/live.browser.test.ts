import { defineTask } from '@retry/worker';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPage } from '../../support/browser/chromium.ts';
import { describeInChromium } from '../../support/browser/describe-in-chromium.ts';
import { type BelievableQueue, sync } from './believable-queue.ts';
import { type ServedBoard, serveBoard } from './serve-board.ts';

/** A change is seen within 2 s; a busy machine may take longer. Without a stream it would never be seen. */
const SEEN_WITHIN_MS = 15_000;

/** How long nothing happens that would be seen within 2 s. */
const QUIET_MS = 3_500;

const report = defineTask({ name: 'report', version: '7', run: async (_: { month: number }) => {} });

/** A screen, what another client changes meanwhile, and what is seen then. */
interface Scene {
  readonly path: (queue: BelievableQueue) => Promise<string>;
  readonly change: (queue: BelievableQueue, path: string) => Promise<unknown>;
  readonly seen: string;
}

async function waitingRun({ queue }: BelievableQueue): Promise<string> {
  const { id } = await queue.submit(sync, { order: 1 }, { delay: '1h' });
  return `#/runs/${id}`;
}

async function cardGroup({ queue }: BelievableQueue): Promise<string> {
  const { groups } = await queue.deadLetters.groups({ task: 'charge' });
  const { lane, id } = groups[0] ?? { lane: '', id: '' };
  return `#/failures/${encodeURIComponent(lane)}/${id}`;
}

async function discardOne({ queue }: BelievableQueue): Promise<void> {
  const { runs } = await queue.deadLetters.list({ task: 'charge', limit: 1_000 });
  const declined = runs.filter(({ errors }) => errors.at(-1)?.message.startsWith('card of order'));
  await queue.deadLetters.discard({ ids: declined.slice(0, 1).map(({ id }) => id) });
}

const fixed = (path: string) => async (): Promise<string> => path;

const SCENES: Readonly<Record<string, Scene>> = {
  failures: {
    path: fixed('#/failures'),
    change: ({ failOnce }) => failOnce('the printer is out of paper'),
    seen: 'the printer is out of paper',
  },
  'an error group': { path: cardGroup, change: discardOne, seen: 'dead letters37' },
  'a run': {
    path: waitingRun,
    change: ({ queue }, path) => queue.cancel(path.replace('#/runs/', '')),
    seen: 'sync-stock cancelled',
  },
  retries: {
    path: fixed('#/retries'),
    change: ({ queue }) => queue.submit(report, { month: 1 }, { delay: '5m' }),
    seen: 'report 7',
  },
  storm: {
    path: fixed('#/storm'),
    change: ({ queue }) => queue.hold({ lane: 'import@1' }, { reason: 'the mail server moves' }),
    seen: 'the mail server moves',
  },
  overview: {
    path: fixed('#/overview'),
    change: ({ queue }) => queue.hold({ lane: 'count@1' }, { reason: 'stock is counted' }),
    seen: 'stock is counted',
  },
  operations: {
    path: fixed('#/operations'),
    change: async ({ queue }) => {
      const plan = await queue.deadLetters.plan({ task: 'mail' });
      await plan.apply({ kind: 'redrive', spread: '1h', reason: 'the mail server is back' });
    },
    seen: 'the mail server is back',
  },
};

describeInChromium('live figures on the board', (browser) => {
  let board: ServedBoard;

  beforeAll(async () => {
    board = await serveBoard();
  });

  afterAll(async () => {
    await board?.close();
  });

  const textOf = async (page: Page): Promise<string> => (await page.locator('main').textContent()) ?? '';
  const openLive = async (path: string, { url } = board): Promise<Page> => {
    const { page } = await openPage(browser(), `${url}${path}`);
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText('Loading …').waitFor({ state: 'detached' });
    return page;
  };

  it.each(Object.entries(SCENES))('show what another client changes: %s', async (_, scene) => {
    const path = await scene.path(board.queue);
    const page = await openLive(path);
    expect(await textOf(page)).not.toContain(scene.seen);

    await scene.change(board.queue, path);

    await expect.poll(() => textOf(page), { timeout: SEEN_WITHIN_MS }).toContain(scene.seen);
  });

  it('are quiet while the page is hidden, and catch up when it is seen', async () => {
    const page = await openLive('#/failures');
    await setVisibility(page, 'hidden');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));

    await board.queue.failOnce('the ink is dry');
    await page.waitForTimeout(QUIET_MS);

    expect([asked, (await textOf(page)).includes('the ink is dry')]).toEqual([[], false]);
    await setVisibility(page, 'visible');
    await page.getByText('the ink is dry').waitFor();
  });

  it('go on after the stream was refused, as by a proxy whose server was away', async () => {
    const { page } = await openPage(browser(), `${board.url}#/operations`);
    await page.getByText('live', { exact: true }).waitFor();
    await page.route(/api\/events/, (route) => route.fulfill({ status: 502, body: 'away' }));
    await page.evaluate(`location.hash = '#/failures'`);
    await page.getByText('connection lost').waitFor();
    await page.waitForTimeout(500);

    await page.unroute(/api\/events/);
    await board.queue.failOnce('the drum is worn');

    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText('the drum is worn').waitFor();
  });

  it('stay live when one of two streams has ended', async () => {
    const own = await serveBoard({ mails: 1 });
    const page = await openLive(await cardGroup(own.queue), own);
    await page.getByRole('button', { name: 'Plan a redrive' }).click();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('the bank answers');
    await page.keyboard.press('Enter');
    await page.getByText(/(running|done): \d+ of/).waitFor();

    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Plan a redrive' }).waitFor({ state: 'detached' });

    expect(await page.locator('header').getByRole('status').textContent()).toBe('live');
    await own.close();
  });

  it('follow a further page, too', async () => {
    const own = await serveBoard({ mails: 1 });
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    for (const one of letters)
      for (const two of 'xyz') await own.queue.failOnce(`the tray ${one}${two}k is empty`);
    await expect.poll(async () => (await own.queue.broker.audit()).ended.failed).toBe(45 + 78);
    const { page } = await openPage(browser(), `${own.url}#/failures`);
    await page.getByRole('link', { name: 'More groups' }).click();
    await page.getByRole('link', { name: 'More groups' }).waitFor({ state: 'detached' });
    const last = String(await page.locator('[data-row]').last().textContent()).replace(/^CardError: /, '');

    for (const _ of letters) await own.queue.failOnce(last);

    // It is one of the largest now, and on the first page.
    await expect.poll(() => textOf(page), { timeout: SEEN_WITHIN_MS }).not.toContain(last);
    await expect.poll(() => textOf(page), { timeout: SEEN_WITHIN_MS }).toMatch(/149 dead letters/);
    await own.close();
  });

  it('stand still while they are paused', async () => {
    const page = await openLive('#/failures');
    await page.keyboard.press('p');
    await page.getByText('paused').waitFor();

    await board.queue.failOnce('the toner is empty');
    await page.waitForTimeout(QUIET_MS);

    expect(await textOf(page)).not.toContain('the toner is empty');
    await page.keyboard.press('p');
    await page.getByText('the toner is empty').waitFor();
  });
});

/** A browser without windows has none that hides another. */
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
}
