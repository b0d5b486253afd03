import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { launchChromium, leavePages } from './chromium.ts';
import { findChromium, NO_CHROMIUM } from './find-chromium.ts';

const executable = findChromium();

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
      afterEach(() => leavePages(browser));
      afterAll(() => browser?.close());

      define(() => browser);
    },
  );
}
