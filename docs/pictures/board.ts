import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { serveBoard } from '../../test/board/page/serve-board.ts';
import { launchChromium, openPage } from '../../test/support/browser/chromium.ts';
import { findChromium, NO_CHROMIUM } from '../../test/support/browser/find-chromium.ts';

/** Each picture: its address, what it waits for, and what is done before it is taken. */
const SCREENS: readonly {
  readonly name: string;
  readonly path: string;
  readonly theme?: 'dark';
  readonly prepare: (page: Page) => Promise<void>;
}[] = [
  { name: 'failures', path: '#/failures', prepare: waitForRow },
  { name: 'group', path: '#/failures', prepare: planRedrive },
  { name: 'run', path: '#/search?task=sync-stock', prepare: openFirst },
  { name: 'retries', path: '#/retries', prepare: (page) => page.getByText('By attempt').waitFor() },
  { name: 'storm', path: '#/storm', theme: 'dark', prepare: waitForReport },
  { name: 'studio', path: '#/studio', prepare: simulate },
  {
    name: 'overview',
    path: '#/overview',
    theme: 'dark',
    prepare: (page) => page.getByText('Holds').waitFor(),
  },
  { name: 'search', path: '#/search?state=failed&text=declined', prepare: waitForRow },
];

/** Draws the pictures of docs/board.md. @returns their names; none without a Chromium */
export async function drawBoard(): Promise<readonly string[]> {
  const executable = findChromium();
  if (executable === undefined) throw new Error(NO_CHROMIUM);
  const [browser, board] = await Promise.all([launchChromium(executable), serveBoard()]);
  const names: string[] = [];
  // One after the other: the pictures show the same moment, and a busy machine takes none of them too early.
  for (const screen of SCREENS) names.push(await draw(browser, board.url, screen));
  await browser.close();
  await board.close();
  return names;
}

async function draw(browser: Browser, url: string, screen: (typeof SCREENS)[number]): Promise<string> {
  const { page } = await openPage(browser, `${url}${screen.path}`, { colorScheme: screen.theme ?? 'light' });
  await screen.prepare(page);
  const name = `board-${screen.name}.png`;
  await page.screenshot({ path: fileURLToPath(new URL(name, import.meta.url)) });
  await page.close();
  return name;
}

function waitForRow(page: Page): Promise<void> {
  return page.locator('[data-row]').first().waitFor();
}

/** Workers report what they did twice a minute. */
function waitForReport(page: Page): Promise<void> {
  return page.getByText('attempts a second').waitFor({ timeout: 90_000 });
}

async function openFirst(page: Page): Promise<void> {
  await page.locator('[data-row]').first().click();
  await page.getByText('What follows').waitFor();
}

async function planRedrive(page: Page): Promise<void> {
  await page.locator('[data-row]').first().click();
  await page.getByRole('button', { name: 'Plan a redrive' }).click();
  await page.getByLabel('reason, kept with the operation').fill('the mailboxes are empty again');
}

async function simulate(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByText('attempts per call').waitFor();
}
