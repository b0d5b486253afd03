import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { launchChromium } from './chromium.ts';
import { findChromium, NO_CHROMIUM } from './find-chromium.ts';

const executable = findChromium();

/** Defines tests in one Chromium; where there is none, they are skipped, and their name says so. */
export function describeInChromium(name: string, define: (browser: () => Browser) => void): void {
  describe.skipIf(executable === undefined)(`${name}${executable ? '' : ` (${NO_CHROMIUM})`}`, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium(executable ?? '');
    });
    afterAll(() => browser?.close());

    define(() => browser);
  });
}
