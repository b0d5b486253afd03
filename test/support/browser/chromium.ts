import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * Without its own updates, experiments and network: a test asks this machine and no other. What draws the page shares the process of
 * the browser, which takes a seventh less processor time.
 */
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--process-per-site',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts a browser with an empty profile. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGS });
}

/** How a page is seen. */
export interface View {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
}

/** A page that collects what goes wrong in it: errors, refusals by its policy, requests to other hosts. */
export interface WatchedPage {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** What is waited for in a page longer than this fails with what it was, which the time limit of a test does not say. */
const MAX_WAIT_MS = 20_000;

/** Pages that nobody looks at. To load the next document in one takes half of what a new page takes. */
const left = new WeakMap<Browser, Page[]>();

/** Opens a page at an address. All of a browser share a profile: a new one would be another process, which has nothing at hand. */
export async function openPage(browser: Browser, url: string, view: View = {}): Promise<WatchedPage> {
  const { width = 1280, colorScheme = 'light' } = view;
  const page = left.get(browser)?.pop() ?? (await newPage(browser));
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (isElsewhere(request.url(), url)) complaints.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints };
}

async function newPage(browser: Browser): Promise<Page> {
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
  page.setDefaultTimeout(MAX_WAIT_MS);
  return page;
}

/** Leaves all pages of a browser to who opens one next, without their documents, their routes and who listens to them. */
export async function leavePages(browser: Browser): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  for (const page of pages) {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    for (const type of ['pageerror', 'console', 'request'] as const) await page.removeAllListeners(type);
    await page.goto('about:blank');
  }
  left.set(browser, pages);
}

function isElsewhere(requested: string, url: string): boolean {
  const { protocol, host } = new URL(requested);
  return ['http:', 'https:', 'ws:', 'wss:'].includes(protocol) && host !== new URL(url).host;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds on the page as it is: one line for each element. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(`{ ${AXE} }`);
  const violations: unknown = await page.evaluate(`
    axe.run({ resultTypes: ['violations'], preload: false }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))
  `);
  return violations as readonly string[]; // built one line above
}
