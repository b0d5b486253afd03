import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { launchChromium, leavePages } from './chromium.ts';
import { findChromium, NO_CHROMIUM } from './find-chromium.ts';

const executable = findChromium();

/** Prints what the pages of a failed test show: that a text did not come does not tell what came in its place. */
async function printPages(browser: Browser): Promise<void> {
  for (const page of browser.contexts().flatMap((context) => context.pages()))
    process.stderr.write(`${page.url()} shows:\n${await page.locator('body').ariaSnapshot()}\n`);
}

/** Defines tests in one Chromium that keep their order, as many share a board; where there is none, they are skipped, and their name says so. */
export function describeInChromium(name: string, define: (browser: () => Browser) => void): void {
  describe.skipIf(executable === undefined)(
    `${name}${executable ? '' : ` (not run: ${NO_CHROMIUM})`}`,
    { shuffle: false },
    () => {
      let browser: Browser;
      beforeAll(async () => {
        browser = await launchChromium(executable ?? '');
      });
      afterEach(async ({ task }) => {
        if (task.result?.state === 'fail') await printPages(browser);
        await leavePages(browser);
      });
      afterAll(() => browser?.close());

      define(() => browser);
    },
  );
}
