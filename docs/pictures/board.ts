import { fileURLToPath } from 'node:url';
import { createBoard } from '@retry/board';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, openPage } from '../../test/support/browser/chromium.ts';
import { findChromium, NO_CHROMIUM } from '../../test/support/browser/find-chromium.ts';
import { serveOnLoopback } from '../../test/support/browser/serve-on-loopback.ts';
import { openDay } from '../demo/day/open-day.ts';
import { eventsOf, PAST_MS, playPast } from '../demo/day/play-past.ts';
import { defineDayTasks, listTasks } from '../demo/day/tasks.ts';
import { workOn } from '../demo/day/work-on.ts';

/** Each picture: its address, what it waits for, and what is done before it is taken. */
const SCREENS: readonly {
  readonly name: string;
  readonly path: string;
  readonly theme?: 'dark';
  readonly prepare: (page: Page) => Promise<void>;
}[] = [
  { name: 'failures', path: '#/failures', prepare: waitForRow },
  { name: 'group', path: '#/failures', prepare: planRedrive },
  {
    name: 'run',
    path: '#/runs/notify-partner@order-420',
    prepare: (page) => page.getByText('What follows').waitFor(),
  },
  { name: 'retries', path: '#/retries', prepare: (page) => page.getByText('By attempt').waitFor() },
  { name: 'storm', path: '#/storm', theme: 'dark', prepare: waitForReport },
  { name: 'overview', path: '#/overview', theme: 'dark', prepare: waitForRates },
  {
    name: 'operations',
    path: '#/operations',
    prepare: (page) => page.getByText('discard').first().waitFor(),
  },
];

/** Draws the pictures of docs/board.md: the day that `npm start -- --board` shows. @returns their names @throws {Error} without a Chromium */
export async function drawBoard(): Promise<readonly string[]> {
  const executable = findChromium();
  if (executable === undefined) throw new Error(NO_CHROMIUM);
  const [browser, board] = await Promise.all([launchChromium(executable), serveDay()]);
  const names: string[] = [];
  // One after the other: the pictures show the same moment, and a busy machine takes none of them too early.
  for (const screen of SCREENS) names.push(await draw(browser, board.url, screen));
  await browser.close();
  await board.close();
  return names;
}

/** Serves a board of the day. */
async function serveDay(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const endAt = Date.now();
  const day = await openDay('memory', endAt - PAST_MS);
  await playPast({ past: day.past, endAt, signal: new AbortController().signal });
  const broker = await day.enterPresent();
  const tasks = defineDayTasks(eventsOf(endAt), { now: Date.now });
  const stopWork = workOn(broker, tasks);
  const board = createBoard({
    broker,
    tasks: listTasks(tasks),
    access: () => ({ ...EVERYTHING, by: 'ada' }),
  });
  const { origin, close } = await serveOnLoopback(board);
  return {
    url: `${origin}/`,
    close: async () => {
      await close();
      await stopWork();
      await day.close();
    },
  };
}

const EVERYTHING = {
  ...{ read: true, redrive: true, discard: true, cancel: true, hold: true, edit: true, unmask: true },
} as const;

const WIDTH = 1280;

/** The longest picture. */
const HEIGHT = 960;

async function draw(browser: Browser, url: string, screen: (typeof SCREENS)[number]): Promise<string> {
  const { page } = await openPage(browser, `${url}${screen.path}`, { colorScheme: screen.theme ?? 'light' });
  await page.setViewportSize({ width: WIDTH, height: HEIGHT });
  await screen.prepare(page);
  const name = `board-${screen.name}.png`;
  const height = await page.evaluate<number>(CONTENT_END);
  await page.screenshot({
    path: fileURLToPath(new URL(name, import.meta.url)),
    clip: { x: 0, y: 0, width: WIDTH, height: Math.min(height + 24, HEIGHT) },
  });
  await page.close();
  return name;
}

/** Where the page ends, before the empty part of its window. */
const CONTENT_END = `Math.ceil(Math.max(...[...document.querySelectorAll('main *')].map((each) => each.getBoundingClientRect().bottom)))`;

function waitForRow(page: Page): Promise<void> {
  return page.locator('[data-row]').first().waitFor();
}

/** Workers report every ten seconds, and the share of retries has a finding when enough has started. */
async function waitForReport(page: Page): Promise<void> {
  await page.getByRole('list', { name: 'Findings' }).waitFor({ timeout: 90_000 });
  await page.getByText('notify-partner').first().waitFor();
}

/** How fast runs come in is known at the second reading. */
async function waitForRates(page: Page): Promise<void> {
  await page
    .getByRole('cell', { name: /^[\d.]+$/ })
    .and(page.locator('td:nth-child(6)'))
    .first()
    .waitFor();
}

async function planRedrive(page: Page): Promise<void> {
  await page.locator('[data-row]').first().click();
  await page.getByRole('button', { name: 'Plan a redrive' }).click();
  await page.getByLabel('reason, kept with the operation').fill('payments answer again');
}
