import { existsSync } from 'node:fs';

const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Why the tests in a browser do not run, and the command that changes it. */
export const NO_CHROMIUM =
  'no Chromium: set CHROMIUM_PATH, or install one (Debian: apt-get install chromium)';

/** The path of a Chromium: `CHROMIUM_PATH`, or where systems put it; `undefined` where there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM_PATH } = process.env;
  return CHROMIUM_PATH ?? USUAL_PATHS.find((path) => existsSync(path));
}
