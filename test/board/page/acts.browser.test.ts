import { holdLanes } from '@retry/core/broker/kit';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBarriers, openPage } from '../../support/browser/chromium.ts';
import { describeInChromium } from '../../support/browser/describe-in-chromium.ts';
import { hearWarnings } from '../../support/hear-warnings.ts';
import { sync } from './believable-queue.ts';
import { type ServedBoard, serveBoard } from './serve-board.ts';

describeInChromium('acts on the board', (browser) => {
  let board: ServedBoard;

  beforeAll(async () => {
    board = await serveBoard();
  });

  afterAll(() => board?.close());

  const open = async (path: string): Promise<Page> => {
    const { page } = await openPage(browser(), `${board.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Loading …').waitFor({ state: 'detached' });
    return page;
  };
  const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const submitLater = async (): Promise<string> =>
    (await board.queue.queue.submit(sync, { order: 1 }, { delay: '1h' })).id;
  const deadRun = async (): Promise<string> => {
    const { runs } = await board.queue.queue.deadLetters.list({ task: 'mail', limit: 1 });
    return runs[0]?.id ?? '';
  };
  const run = (id: string) => board.queue.queue.get(id);

  it('move a run that waits, with the keyboard alone and a reason', async () => {
    const id = await submitLater();
    const page = await open(`#/runs/${id}`);

    await press(page, 's', 'Control+a');
    await page.keyboard.type('3h');
    await press(page, 'Enter');
    await page.getByRole('row', { name: /reschedule .* rescheduled/ }).waitFor();
    await press(page, 'Escape', 'w');
    await page.keyboard.type('sent twice');
    await press(page, 'Escape', 'x', 'Enter');

    await page.getByRole('row', { name: /ada cancel .* sent twice cancelled/ }).waitFor();
    expect(await run(id)).toMatchObject({ state: 'cancelled' });
    expect(await findBarriers(page)).toEqual([]);
  });

  it.each([
    { key: 'n', act: 'run now', of: submitLater, answer: 'rescheduled' },
    { key: 'x', act: 'cancel', of: submitLater, answer: 'cancelled' },
    { key: 'r', act: 'redrive', of: deadRun, answer: 'redriven' },
    { key: 'd', act: 'discard', of: deadRun, answer: 'discarded' },
  ])('are not done by the key of $act alone, but by Enter after it', async ({ key, of, answer }) => {
    const id = await of();
    const before = await run(id);
    const page = await open(`#/runs/${encodeURIComponent(id)}`);

    await press(page, key);
    await page.locator('button:focus').waitFor();
    expect(await run(id)).toEqual(before);
    await press(page, 'Enter');

    await page.getByRole('status').getByText(answer, { exact: true }).waitFor();
  });

  it('say that a run was discarded, and are over then', async () => {
    const page = await open(`#/runs/${await deadRun()}`);

    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('This run was discarded. Below is what it was.').waitFor();
    await page.waitForTimeout(2_500);

    expect(await page.getByRole('alert').count()).toBe(0);
    const acts = page.getByRole('button', { name: /^(Redrive|Discard)$/ });
    expect(await acts.evaluateAll((all) => all.map((each) => each.hasAttribute('disabled')))).toEqual([
      true,
      true,
    ]);
  });

  it('say what is wrong with a value once', async () => {
    const page = await open(`#/runs/${await submitLater()}`);
    await page.getByLabel('start in').fill('tomorrow');

    await page.getByRole('button', { name: 'Reschedule' }).click();

    const said = page.getByRole('status').filter({ hasText: 'tomorrow' });
    await said.waitFor();
    expect(String(await said.textContent()).split('tomorrow')).toHaveLength(2);
  });

  it('submit a run once more, and lead to the new one, which names its origin', async () => {
    const id = await submitLater();
    const page = await open(`#/runs/${id}`);

    await press(page, 'e', 'Tab', 'Control+a');
    await page.keyboard.type('{ "order": 7 }');
    await press(page, 'Tab', 'Enter');
    await page.getByRole('status').getByRole('link').click();

    await page.getByText('"order": 7').first().waitFor();
    await page.getByRole('link', { name: id }).first().waitFor();
  });

  it('submit what is stored where the payload is not changed, and that alone', async () => {
    const broken = '{"order": ';
    hearWarnings(); // a slow browser leaves the worker the time to say that nobody works on that lane
    await board.queue.broker.submit([{ id: 'broken', lane: 'unknown@1', payload: broken }]);
    const page = await open('#/runs/broken');

    await page.getByText('Submit once more, as a new run').click();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    const href = await page.getByRole('status').getByRole('link').getAttribute('href');

    const id = String(href).split('/').at(-1) ?? '';
    const [submitted] = await board.queue.broker.get([id]);
    expect(submitted).toMatchObject({ origin: 'broken', payload: broken });
    for (const waiting of ['broken', id]) await board.queue.queue.cancel(waiting);
  });

  it('submit no payload in place of one that is no longer kept, unless it is given', async () => {
    const { id } = await board.queue.queue.submit(sync, { order: 1, cardToken: 'x'.repeat(5_000) });
    await expect.poll(() => run(id)).toMatchObject({ state: 'completed', trimmed: ['payload'] });
    const page = await open(`#/runs/${id}`);

    await page.getByText('Submit once more, as a new run').click();
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('status').getByText('no longer kept').waitFor();
    await page.getByLabel('payload, as JSON').fill('{ "order": 8 }');
    await page.getByRole('button', { name: 'Submit', exact: true }).click();
    await page.getByRole('status').getByRole('link').click();

    await page.getByText('"order": 8').first().waitFor();
  });

  it.each([
    { name: 'Submit', of: submitLater, opens: 'Submit once more, as a new run', act: 'resubmit' },
    { name: 'Cancel', of: submitLater, act: 'cancel' },
    { name: 'Redrive', of: deadRun, act: 'redrive' },
    { name: 'Discard', of: deadRun, act: 'discard' },
  ])('are done once by a double click on $name', async ({ name, of, opens, act }) => {
    for (const delayMs of act === 'cancel' ? [0, 700] : [0]) {
      const id = await of();
      const page = await open(`#/runs/${encodeURIComponent(id)}`);
      const asked: string[] = [];
      await page.route(/\/api\/runs\//, async (route) => {
        if (route.request().method() === 'POST') asked.push(route.request().url());
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        await route.continue();
      });
      if (opens !== undefined) await page.getByText(opens).click();

      await page.getByRole('button', { name, exact: true }).click({ clickCount: 2, delay: 60 });
      await expect.poll(() => asked.length).toBeGreaterThan(0);
      await page.waitForTimeout(300 + delayMs);

      expect(asked.map((url) => url.split('/').at(-1))).toEqual([act]);
    }
  });

  it('say that they are asked, and are disabled meanwhile', async () => {
    const page = await open(`#/runs/${await submitLater()}`);
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/run-now$/, async (route) => {
      await answered;
      await route.continue();
    });

    await press(page, 'n', 'Enter', 'Enter');

    await page.getByRole('status').getByText('asking …').waitFor();
    const acts = page.getByRole('button', { name: /^(Run now|Cancel|Reschedule)$/ });
    expect(await acts.evaluateAll((all) => all.map((each) => each.hasAttribute('disabled')))).toEqual([
      true,
      true,
      true,
    ]);
    answer();
    await page.getByRole('status').getByText('rescheduled', { exact: true }).waitFor();
  });

  it('remove a schedule that cannot be read', async () => {
    const { queue, broker } = board.queue;
    await queue.schedule('odd', { task: sync, payload: { order: 1 }, every: '1h' });
    const { notes } = await broker.notes.read({ prefix: 'schedule/at/', limit: 10 });
    await broker.notes.write(notes.map(({ key }) => ({ key, value: 'garbage' })));
    const page = await open('#/schedules');

    await page.getByText('odd cannot be read.').waitFor();
    expect(await page.getByText('No schedule.').count()).toBe(0);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove for good' }).click();

    await page.getByText('No schedule.').waitFor();
    expect(await queue.schedules()).toEqual({ schedules: [] });
  });

  it('leave a number alone that is being written, while the page is drawn anew', async () => {
    const { groups } = await board.queue.queue.deadLetters.groups({ task: 'charge' });
    const page = await open(`#/failures/charge%401/${groups[0]?.id}`);
    await page.getByRole('button', { name: 'Plan a redrive' }).click();
    const rate = page.getByLabel('runs a second');
    await rate.fill('');
    // What the board draws anew every 5 s, it draws when the page is seen again, too.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    await rate.pressSequentially('5');

    expect(await rate.inputValue()).toBe('5');
  });

  it('apply a plan once by a double click', async () => {
    const { groups } = await board.queue.queue.deadLetters.groups({ task: 'charge' });
    const page = await open(`#/failures/charge%401/${groups[0]?.id}`);
    await page.getByRole('button', { name: 'Plan a redrive' }).click();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('the bank is back');

    await page.getByRole('button', { name: 'Redrive', exact: true }).click({ clickCount: 2, delay: 20 });
    await page.getByText(/(running|done): \d+ of/).waitFor();

    expect(await board.queue.queue.operations.list()).toHaveLength(1);
  });

  it('have their keys in the help', async () => {
    const { groups } = await board.queue.queue.deadLetters.groups({ task: 'mail' });
    const group = groups[0]?.id ?? '';
    const paths = [
      `#/failures/mail%402/${group}`,
      `#/runs/${await deadRun()}`,
      `#/runs/${await submitLater()}`,
    ];
    const used = new Set<string>();
    for (const path of paths) {
      const page = await open(path);
      await page.locator('[data-key="c"]').waitFor();
      const keys = await page
        .locator('[data-key]')
        .evaluateAll((all) => all.map((each) => each.dataset['key']));
      for (const key of keys) used.add(String(key));
    }
    const page = await open('#/failures');
    await press(page, '?');
    const listed = await page.locator('dialog kbd').allInnerTexts();

    expect([...used].sort()).toEqual(['c', 'd', 'e', 'n', 'r', 's', 't', 'u', 'w', 'x']);
    expect(listed).toEqual(expect.arrayContaining([...used]));
  });

  it('say the command where the browser refuses to copy it', async () => {
    const page = await open(`#/runs/${await deadRun()}`);
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);

    await press(page, 'c');

    await page.getByText(/^The browser refused; copy it from here: retry runs show /).waitFor();
  });
});

describeInChromium('the storm screen', (browser) => {
  let board: ServedBoard;

  beforeAll(async () => {
    board = await serveBoard();
    const flow = {
      windowMs: 10_000,
      lanes: [
        { lane: 'mail@2', starts: 90, retries: 60, ends: 30, maxLatenessMs: 5 },
        { lane: 'sync-stock@1', starts: 90, retries: 9, ends: 30, maxLatenessMs: 5 },
      ],
    };
    await board.queue.broker.attend({
      ...{ worker: 'far away', lanes: ['mail@2', 'sync-stock@1'], ttlMs: 3_600_000 },
      facts: { slots: 8, slotsTaken: 8, leases: 9, flow },
    });
    await holdLanes(board.queue.broker, [
      {
        ...{
          lane: 'report@1',
          source: 'circuit-breaker',
          by: 'far away',
          reason: '20 of 20 attempts failed',
        },
        ...{ forMs: 3_600_000, probeMs: 3_600_000 },
      },
    ]);
  });

  afterAll(() => board?.close());

  const open = async (): Promise<Page> => {
    const { page } = await openPage(browser(), `${board.url}#/storm`);
    await page.getByRole('row', { name: /^mail 2/ }).waitFor();
    return page;
  };

  /** More of them than any other lane has. */
  const attendWithRetries = async (lane: string, ttlMs: number): Promise<void> => {
    const retries = { lane, starts: 900, retries: 90, ends: 300, maxLatenessMs: 5 };
    const facts = { slots: 8, slotsTaken: 8, leases: 9, flow: { windowMs: 10_000, lanes: [retries] } };
    await board.queue.broker.attend({ worker: 'farther away', lanes: [lane], ttlMs, facts });
  };

  it('spreads a redrive of the dead letters of a lane', async () => {
    const page = await open();

    await page
      .getByRole('row', { name: /^mail 2/ })
      .getByRole('button', { name: 'Spread a redrive' })
      .click();
    await page.getByText(/^141 dead letters run again/).waitFor();
    await page.keyboard.type('the mail server is back');
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText(/(running|done): \d+ of 141/).waitFor();

    const operations = await board.queue.queue.operations.list();
    expect(operations).toMatchObject([
      { kind: 'redrive', reason: 'the mail server is back', planned: 141, spreadMs: 600_000 },
    ]);
  });

  it('says that a lane has no dead letters to redrive', async () => {
    const page = await open();

    await page
      .getByRole('row', { name: /^sync-stock 1/ })
      .getByRole('button', { name: 'Spread' })
      .click();

    await page.getByText('There is no such dead letter.').waitFor();
  });

  it('shows what holds a lane, when its breaker lets a probe through, and resumes it', async () => {
    const page = await open();
    const hold = page.getByRole('row', {
      name: /^report@1 circuit breaker far away 20 of 20 attempts failed .* probe .* in \d+ (h|min)/,
    });
    await hold.getByRole('button', { name: 'Resume' }).click();

    await hold.waitFor({ state: 'detached' });
    expect((await board.queue.queue.holds()).map(({ lane }) => lane)).toEqual(['charge@1']);
  });

  it('holds a lane for a time', async () => {
    const page = await open();
    const row = page.getByRole('row', { name: /^sync-stock 1/ });
    await row.getByRole('button', { name: 'Hold … sync-stock@1' }).click();
    await page.keyboard.type('stock is counted');
    await row.getByLabel('for').selectOption('1 h');
    await row.getByRole('button', { name: 'Hold', exact: true }).click();
    await page
      .getByRole('row', { name: /^sync-stock@1 operator ada stock is counted .* in (60 min|1 h)/ })
      .waitFor();

    await page.getByRole('button', { name: 'Resume sync-stock@1' }).click();
    await row.getByRole('button', { name: 'Hold …' }).waitFor();
  });

  it('says no hold of a lane that was resumed', async () => {
    const page = await open();
    const row = page.getByRole('row', { name: /^sync-stock 1/ });
    await row.getByRole('button', { name: 'Hold … sync-stock@1' }).click();
    await page.keyboard.type('stock is counted');
    await page.keyboard.press('Enter');
    await row.getByText('on hold').waitFor();

    await page.getByRole('button', { name: 'Resume sync-stock@1' }).click();
    await row.getByRole('button', { name: 'Hold …' }).waitFor();

    expect(await row.textContent()).not.toMatch(/held|on hold/);
  });

  it('has the focus in a form that opens before another key can come', async () => {
    const page = await open();
    const button = page.getByRole('row', { name: /^sync-stock 1/ }).getByRole('button', { name: 'Hold …' });

    const focused = await button.evaluate(async (element) => {
      element.click();
      await null; // a task, as of a key, would come later
      return element.ownerDocument.activeElement?.tagName;
    });

    expect(focused).toBe('INPUT');
  });

  it.each(['mail 2', 'sync-stock 1'])(
    'keeps the focus in the row of %s when rows change places',
    async (name) => {
      const page = await open();
      await page.evaluate('delete Element.prototype.moveBefore'); // not every browser has it
      const rows = page.getByRole('group', { name: 'Lanes' }).getByRole('row');
      const row = page.getByRole('row', { name: new RegExp(`^${name}`) });
      await row.getByRole('button', { name: 'Hold …' }).click();
      await page.keyboard.type('stock is');

      await attendWithRetries('sync-stock@1', 3_600_000);
      await rows
        .nth(1)
        .and(page.getByRole('row', { name: /^sync-stock 1/ }))
        .waitFor();
      await page.keyboard.type(' counted');

      expect(await row.getByLabel('reason').inputValue()).toBe('stock is counted');
      await attendWithRetries('sync-stock@1', 1);
    },
  );

  it('keeps the reason of a hold that failed, and leaves the form by Escape', async () => {
    const page = await open();
    await page.route(/lanes\/hold$/, (route) => route.abort());
    const row = page.getByRole('row', { name: /^sync-stock 1/ });
    await row.getByRole('button', { name: 'Hold …' }).click();
    await page.keyboard.type('stock is counted');
    await page.keyboard.press('Enter');
    await row.getByText('Is it running?').waitFor();
    expect(await row.getByLabel('reason').inputValue()).toBe('stock is counted');

    await page.keyboard.press('Escape');

    await row.getByRole('button', { name: 'Hold …' }).and(page.locator(':focus')).waitFor();
  });

  it('holds a lane with the keyboard alone', async () => {
    const page = await open();

    await page.keyboard.press('j');
    const lane = (await page.locator('button:focus').getAttribute('aria-label'))?.replace('Hold … ', '');
    await page.keyboard.press('Enter');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('the mail server moves');
    await page.keyboard.press('Enter');

    await page.getByRole('row', { name: `${lane} operator ada the mail server moves` }).waitFor();
    expect((await board.queue.queue.holds()).map((hold) => hold.lane)).toContain(lane);
  });
});
