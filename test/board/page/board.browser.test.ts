import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBarriers, openPage } from '../../support/browser/chromium.ts';
import { describeInChromium } from '../../support/browser/describe-in-chromium.ts';
import { HOSTILE, mail, sync } from './believable-queue.ts';
import { EVERYTHING, type ServedBoard, serveBoard } from './serve-board.ts';

const SCREENS = [
  ['#/failures', 'Failures'],
  ['#/retries', 'Retries'],
  ['#/storm', 'Storm'],
  ['#/overview', 'Overview'],
  ['#/workers', 'Workers'],
  ['#/operations', 'Operations'],
  ['#/search?state=failed', 'Search'],
] as const;

const RIGHT_EDGES_OF_TABS =
  "[...document.querySelectorAll('nav a')].map((tab) => tab.getBoundingClientRect().right)";

describeInChromium('the page of the board', (browser) => {
  let board: ServedBoard;

  beforeAll(async () => {
    board = await serveBoard();
  });

  afterAll(async () => {
    await board?.close();
  });

  const rows = (page: Page) => page.locator('[data-row]');

  it.each(SCREENS)(
    'shows %s without a barrier or a complaint in light and dark, and on a telephone without sideways scrolling',
    async (path, title) => {
      const { page, complaints } = await openPage(browser(), `${board.url}${path}`);
      const isShown = async (): Promise<void> => {
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await page.getByText('Loading …').waitFor({ state: 'detached' });
      };
      await isShown();
      expect(await findBarriers(page)).toEqual([]);

      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate('globalThis.hacked')).toBeUndefined();

      await page.setViewportSize({ width: 390, height: 800 });
      await page.reload();
      await isShown();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
      expect(await page.evaluate(`${RIGHT_EDGES_OF_TABS}.length`)).toBeGreaterThanOrEqual(SCREENS.length);
      expect(await page.evaluate(`Math.max(...${RIGHT_EDGES_OF_TABS})`)).toBeLessThanOrEqual(390);
      expect(complaints).toEqual([]);
    },
  );

  it('breaks no instant into two lines, where a worker has many lanes', async () => {
    const { page } = await openPage(browser(), `${board.url}#/workers`, { width: 1360 });
    const instant = page.locator('td time').first();
    await instant.waitFor();

    await page.evaluate("document.querySelector('td time').closest('td').style.width = '1px'");

    expect(
      await instant.evaluate(
        (element: { getClientRects(): { length: number } }) => element.getClientRects().length,
      ),
    ).toBe(1);
  });

  it('opens an error group and one of its runs, without a barrier', async () => {
    const { page, complaints } = await openPage(browser(), `${board.url}#/failures`);
    await page.getByRole('link', { name: /card of order/ }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);

    await rows(page).first().click();
    await page.getByText('but 2 of 2 attempts are used').waitFor();

    expect(await page.getByRole('img', { name: /^2 attempts in/ }).count()).toBe(1);
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('takes hostile text for text', async () => {
    const { page, complaints } = await openPage(browser(), `${board.url}#/failures`);
    await page.getByRole('link', { name: /<script>/ }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await rows(page).first().click();

    await page.getByText(HOSTILE.markup).first().waitFor();

    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(await page.locator('main script, main img:not([role])').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('redrives 1 156 of 1 200 dead letters by the keyboard alone', async () => {
    const full = await serveBoard({ mails: 1_156 });
    const { page } = await openPage(browser(), `${full.url}#/failures`);
    await rows(page).first().waitFor();

    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Plan a redrive' }).waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('reason, kept with the operation').waitFor();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('the mailboxes are empty again');
    await page.keyboard.press('Enter');

    await page.getByText(/(running|done): [\d,. ]+ of 1.?156/).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    const operations = page.getByRole('group', { name: 'Operations' });
    await operations.getByRole('cell', { name: 'the mailboxes are empty again' }).waitFor();
    expect(await operations.getByRole('cell', { name: 'ada', exact: true }).count()).toBe(1);
    await full.close();
  });

  it('replays another policy on the failures of a group, beginning with that of the task', async () => {
    const { page, complaints } = await openPage(browser(), `${board.url}#/failures`);
    await page.getByRole('link', { name: /card of order/ }).click();
    await page.getByRole('button', { name: 'Plan a redrive' }).waitFor();
    await page.keyboard.press('t');
    const policy = page.getByLabel('another policy, as JSON');
    expect(await policy.inputValue()).toContain('"maxAttempts": 2');

    await policy.fill('{ "maxAttempts": 3 }');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('Of 38 runs 38 would have had another attempt').waitFor();
    await policy.fill('{ "maxAttempts": 1 }');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('38 would have ended earlier (38 attempts spared)').waitFor();
    await page.getByText('Those that would have ended: exhausted 38.').waitFor();
    await policy.fill('{ "maxAttempts": ');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('The policy is no JSON').waitFor();

    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('says what a search has looked through, and when what it found is due', async () => {
    const { page } = await openPage(browser(), `${board.url}#/search?state=scheduled`);
    await page.getByText(/^50 found; looked at \d+ runs; there may be more\.$/).waitFor();
    expect(await page.getByRole('cell', { name: /^(in [\d.]+ (ms|s|min)|now)$/ }).count()).toBeGreaterThan(0);

    await page.getByLabel('text', { exact: true }).fill('ECONNREFUSED');
    await page.keyboard.press('Enter');

    await page
      .getByText(/ runs, in id, names and messages of stored errors, payload; there may be more\.$/)
      .waitFor();
    await page.waitForURL(/text=ECONNREFUSED&state=scheduled/);
  });

  it('shows the last attempt of a run within its timeline, however short it was', async () => {
    const { queue } = board.queue;
    const { id } = await queue.submit(mail, { order: 1, fails: 'no paper' }, { delay: '2s' });
    await expect.poll(async () => (await queue.get(id))?.state, { timeout: 15_000 }).toBe('failed');
    const { page } = await openPage(browser(), `${board.url}#/runs/${id}`);
    const timeline = page.getByRole('img', { name: /^2 attempts in/ });
    await timeline.waitFor();

    const right = (one: Locator) => one.evaluate((each) => each.getBoundingClientRect().right);
    expect(await right(timeline.locator('rect').last())).toBeLessThanOrEqual(await right(timeline));
  });

  it('does not wait for attempts of a run that has completed', async () => {
    const { page } = await openPage(browser(), `${board.url}#/search?task=mail&state=completed`);
    await rows(page).first().click();

    await page.getByText('No failed attempt is recorded.').waitFor();
  });

  it('says how busy workers are', async () => {
    const facts = { host: 'warehouse', slots: 8, slotsTaken: 5, leases: 6, eventLoopLagMs: 31 };
    await board.queue.broker.attend({ worker: 'far away', lanes: ['mail@2'], ttlMs: 60_000, facts });
    const { page } = await openPage(browser(), `${board.url}#/workers`);

    await page.getByRole('row', { name: /^far away mail@2 warehouse 5 of 8 31 ms / }).waitFor();
  });

  it('names its screens in the tab, and moves the focus to the heading of the next one', async () => {
    const { page } = await openPage(browser(), `${board.url}#/failures`);
    await page.getByRole('heading', { level: 1, name: 'Failures' }).waitFor();
    expect(await page.title()).toBe('Failures · retry');

    await page.getByRole('link', { name: 'Overview' }).click();

    await page.getByRole('heading', { level: 1, name: 'Overview' }).and(page.locator(':focus')).waitFor();
    expect(await page.title()).toBe('Overview · retry');
  });

  it.each(['toString', 'constructor', '__proto__', 'none'])('has no screen %s', async (name) => {
    const { page, complaints } = await openPage(browser(), `${board.url}#/${name}`);

    await page.getByRole('heading', { level: 1, name: 'No such screen' }).waitFor();

    expect(complaints).toEqual([]);
  });

  it('has a heading where a run is not there, or a group is gone', async () => {
    const { page } = await openPage(browser(), `${board.url}#/runs/none`);
    await page.getByRole('heading', { level: 1, name: 'Run' }).waitFor();

    await page.evaluate(`location.hash = '#/failures/mail%402/0123456789abcdef'`);

    await page.getByRole('heading', { level: 1, name: 'Error group' }).waitFor();
  });

  it('leaves arrows to a text that has the focus, and goes to the field of the search by /', async () => {
    const { page } = await openPage(browser(), `${board.url}#/failures`);
    await page.getByRole('link', { name: /card of order/ }).click();
    await page.locator('pre').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('pre:focus').waitFor();

    await page.keyboard.press('/');
    await page.locator('input[data-key="/"]:focus').waitFor();
    await page.getByRole('button', { name: 'Keys' }).focus();
    await page.keyboard.press('/');

    await page.locator('input[data-key="/"]:focus').waitFor();
    expect(await page.locator('input[data-key="/"]').inputValue()).toBe('');
  });

  it('keeps several states of a link to a search', async () => {
    const { page } = await openPage(browser(), `${board.url}#/search?state=failed&state=completed&task=mail`);
    await page.getByRole('cell', { name: 'failed', exact: true }).first().waitFor();
    await page
      .getByRole('option', { name: 'failed, completed', selected: true })
      .waitFor({ state: 'attached' });

    await page.getByLabel('text', { exact: true }).fill('order');
    await page.keyboard.press('Enter');

    await page.waitForURL(/text=order&task=mail&state=failed&state=completed/);
  });

  it.each([302, 200, 401])(
    'says that the visitor may be signed out, by a login of status %i',
    async (status) => {
      const { page } = await openPage(browser(), `${board.url}#/failures`);
      await rows(page).first().waitFor();
      const login = { status, contentType: 'text/html', body: '<h1>Sign in</h1>' };
      await page.route(/api\/search/, (route) =>
        route.fulfill({
          ...login,
          ...(status === 302 && { headers: { location: 'https://login.example' } }),
        }),
      );

      await page.evaluate(`location.hash = '#/search?state=failed'`);

      await page
        .getByRole('alert')
        .getByText('You may be signed out. Reload the page.', { exact: true })
        .waitFor();
    },
  );

  it('counts from the clock of the server', async () => {
    const { id } = await board.queue.queue.submit(sync, { order: 1 }, { delay: '1h' });
    const context = await browser().newContext();
    const page = await context.newPage();
    await page.addInitScript('{ const { now } = Date; Date.now = () => now() + 7_200_000; }');

    await page.goto(`${board.url}#/runs/${id}`);

    await page.getByText(/^Attempt 1 is due in /).waitFor();
    await context.close();
  });

  describe('the mask', () => {
    const openCard = async (served: ServedBoard): Promise<Page> => {
      const { page } = await openPage(browser(), `${served.url}#/search?task=charge&state=failed`);
      await rows(page).first().click();
      await page.getByRole('heading', { name: 'Payload' }).waitFor();
      return page;
    };

    it('is taken off one run for a reason, which its page and the operations show', async () => {
      const page = await openCard(board);
      const token = page.getByText(/"tok-\d+"/).last();
      await page.getByText('"cardToken": "***"').waitFor();

      await page.getByText('Parts of this run are masked: see them').click();
      await page.getByLabel('reason, recorded with your look').fill('a customer complains');
      await page.getByRole('button', { name: 'Unmask' }).click();

      await token.waitFor();
      await page.getByRole('cell', { name: 'a customer complains' }).waitFor();
      await page.getByText('Submit once more, as a new run').click();
      expect(await page.getByLabel('payload, as JSON').inputValue()).toContain('"tok-');
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole('button', { name: 'Mask again' }).click();
      await page.getByText('"cardToken": "***"').waitFor();
      await page.goto(`${board.url}#/operations`);
      await page.getByText('the latest 200 at most').waitFor();
      await page.getByRole('row', { name: /ada unmask .* a customer complains shown/ }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    });

    it('stays for a visitor without the right, who is told so', async () => {
      const { unmask: _, ...rights } = EVERYTHING;
      const masked = await serveBoard({ rights });
      const page = await openCard(masked);

      await page.getByText('To see them, you need the right unmask.').waitFor();

      await page.getByText('"cardToken": "***"').waitFor();
      expect(await page.getByRole('button', { name: 'Unmask' }).count()).toBe(0);
      await page.getByText('Submit once more, as a new run').click();
      await page.getByText('The payload is shown cut or masked').waitFor();
      await masked.close();
    });
  });

  it('says its keys', async () => {
    const { page } = await openPage(browser(), `${board.url}#/failures`);
    await rows(page).first().waitFor();

    await page.keyboard.press('?');

    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  it('opens no act to a visitor who may only read', async () => {
    const readOnly = await serveBoard({ rights: { read: true } });
    const { page } = await openPage(browser(), `${readOnly.url}#/failures`);
    await rows(page).first().click();
    await page.getByText('You may only read here.').waitFor();

    expect(
      await page
        .getByRole('button', { name: /^Plan a/ })
        .evaluateAll((all) => all.filter((each) => !each.hasAttribute('disabled'))),
    ).toEqual([]);
    await readOnly.close();
  });
});
