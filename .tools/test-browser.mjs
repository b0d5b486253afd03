/** `npm run test:browser`: the built packages in a real Chromium. Without one it is skipped, visibly. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { report } from './run.mjs';
import { bundleSmoke, install, judge, makeFolder } from './runtimes.mjs';

/** The newest whose Chromium comes inside the npm package and that runs on Node 20. */
const BROWSER = ['@sparticuz/chromium@138.0.2', 'playwright-core@1.54.1'];

const folder = makeFolder();
const { code } = bundleSmoke(folder);
const problem = install(folder, BROWSER);
if (problem !== undefined) {
  console.log(`SKIP chromium: npm could not bring it (${problem}). Run npm run test:browser where it can.`);
} else {
  const browser = await launch();
  const result = await runIn(browser).finally(() => browser.close());
  report(`smoke in Chromium ${result.version}`, () => judge(result));
}

async function launch() {
  const require = createRequire(join(folder, 'package.json'));
  const load = (name) => import(pathToFileURL(require.resolve(name)).href);
  const { default: chromium } = await load('@sparticuz/chromium');
  const { default: playwright } = await load('playwright-core');
  const executablePath = process.env.CHROMIUM_PATH ?? (await chromium.executablePath());
  return playwright.chromium.launch({ executablePath, args: chromium.args, headless: true });
}

async function runIn(browser) {
  const page = await browser.newPage();
  await page.goto('data:text/html,<title>smoke</title>');
  await page.addScriptTag({ type: 'module', content: code });
  await page.waitForFunction(() => 'smoke' in globalThis);
  return { version: browser.version(), ...(await page.evaluate(() => globalThis.smoke)) };
}
