import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBarriers, openPage, type View, type WatchedPage } from '../support/browser/chromium.ts';
import { describeInChromium } from '../support/browser/describe-in-chromium.ts';
import { root } from '../support/repository.ts';

describeInChromium('the policy studio as one file', (browser) => {
  let folder: string;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retry-studio-'));
    url = pathToFileURL(join(folder, 'studio.html')).href;
    execFileSync(process.execPath, [join(root, '.tools/studio.mjs'), join(folder, 'studio.html')]);
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const open = (view?: View): Promise<WatchedPage> => openPage(browser(), url, view);
  const editor = (page: Page) => page.getByLabel('The policy, as JSON');

  it('shows the curve of its example, asks no host, and complains of nothing', async () => {
    const { page, complaints } = await open();

    await page.getByRole('img', { name: /^The policy: delays before each retry: 0ms to 500ms/ }).waitFor();

    expect(complaints).toEqual([]);
  });

  it('says what is wrong while it is written: line, path, value and cure', async () => {
    const { page } = await open();

    await editor(page).fill('{\n  "maxAttempts": 0,\n  "retries": 3\n}');

    const findings = page.locator('#policy-findings li');
    await findings.nth(1).waitFor();
    expect(await findings.allInnerTexts()).toEqual([
      expect.stringMatching(/^error in line 2 maxAttempts must be .*, got 0\. /),
      expect.stringMatching(/^error in line 3 retries .*maxAttempts: 4/),
    ]);
  });

  it('completes a key with the keyboard alone', async () => {
    const { page } = await open();
    await editor(page).fill('{ ');

    await editor(page).press('Control+ ');
    await page.getByRole('option', { name: 'maxAttempts' }).waitFor();
    await editor(page).pressSequentially('"tot');
    await page.getByRole('option', { name: 'totalTimeout', selected: true }).waitFor();
    await page.getByRole('option', { name: 'maxAttempts' }).waitFor({ state: 'detached' });
    await editor(page).press('Enter');

    expect(await editor(page).inputValue()).toBe('{ "totalTimeout": "Infinity"');
  });

  it('compares two policies in a herd', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Compare with another policy' }).click();
    await page.getByLabel('The other policy, as JSON').fill('{ "maxAttempts": 1 }');
    await page.getByRole('img', { name: 'The other policy: delays before each retry: none' }).waitFor();

    await page.getByRole('button', { name: 'Simulate' }).click();

    await page.getByText('The other one. It recovers; the policy does not retry.').waitFor();
    expect(await page.getByText('attempts per call').count()).toBe(2);
  });

  it('replays policies on failures that are pasted, and says what is wrong with them', async () => {
    const { page, complaints } = await open();
    await editor(page).fill('{ "maxAttempts": 3, "retryOn": [{ "status": 503 }] }');
    const paste = page.getByLabel(/^recorded runs, as/);

    await paste.fill(
      '{ "runs": [{ "errors": [{ "name": "HttpError", "at": "2026-01-01T12:00:00.000Z" }] }] }',
    );
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('[0].errors[0].message must be text.').waitFor();
    expect(await findBarriers(page)).toEqual([]);

    const error = { name: 'HttpError', message: 'busy', status: 503, at: '2026-01-01T12:00:00.000Z' };
    await paste.fill(
      JSON.stringify({ runs: [{ errors: [error] }, { errors: [{ ...error, status: 400 }] }] }),
    );
    await page.getByRole('button', { name: 'Replay' }).click();

    await page.getByText('Of 2 runs 1 would have had another attempt').waitFor();
    await page.getByText('Those that would have ended: unexpected 1.').waitFor();
    await page.getByText(/^2 runs lack facts, so a rule may have missed them: /).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('begins with the options of another system', async () => {
    const { page, complaints } = await open();
    await page.getByText('Start from another system').click();
    await page.getByRole('combobox', { name: 'system' }).selectOption('Sidekiq');
    const options = page.getByLabel('its options, as JSON');

    await options.fill('{ "retries": 2 }');
    await page.getByRole('button', { name: 'Convert' }).click();
    await page.getByText('error in line 1').waitFor();
    expect(await findBarriers(page)).toEqual([]);

    await options.fill('{ "retry": 2 }');
    await page.getByRole('button', { name: 'Convert' }).click();
    await page.getByRole('img', { name: /^The policy: delays before each retry: 15s to 24s/ }).waitFor();

    expect(await editor(page).inputValue()).toContain('"maxAttempts": 3');
    expect(complaints).toEqual([]);
  });

  it('keeps what was written in the address', async () => {
    const { page } = await open();
    await editor(page).fill('{ "maxAttempts": 9 }');
    await page.waitForURL(/%3A\+9\+/);

    const again = await openPage(browser(), page.url());

    expect(await editor(again.page).inputValue()).toBe('{ "maxAttempts": 9 }');
  });

  it('shows a link that is followed in the same tab, and keeps its text where a link has none', async () => {
    const { page } = await open();
    await editor(page).fill('{ "maxAttempts": 9 }');

    await page.evaluate(`location.hash = '?policy=%7B%22maxAttempts%22%3A22%7D'`);
    await expect.poll(() => editor(page).inputValue()).toBe('{"maxAttempts":22}');
    await page.evaluate(`location.hash = ''`);

    await page.waitForURL(/maxAttempts%22%3A22/);
    expect(await editor(page).inputValue()).toBe('{"maxAttempts":22}');
  });

  it('shows nothing that was found for an earlier policy', async () => {
    const { page } = await open();
    await editor(page).fill('{ "maxAttempts": 3 }');
    await page.getByLabel(/^recorded runs, as/).fill('{}');
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.locator('[aria-labelledby=replay-title] .error').first().waitFor();
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByText('attempts per call').waitFor();

    await editor(page).fill('{ "maxAttempts": 4 }');

    await page.getByText('Press Simulate to see it.').waitFor();
    expect(await page.locator('[aria-labelledby=replay-title] .error').count()).toBe(0);
  });

  it('takes markup for text', async () => {
    const { page, complaints } = await open();

    await editor(page).fill('{ "<img src=x onerror=alert(1)>": "<script>alert(1)</script>" }');

    await page.locator('#policy-findings li').first().waitFor();
    expect(await page.locator('#policy-findings img, #policy-findings script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each([
    { width: 1280, colorScheme: 'light' },
    { width: 1280, colorScheme: 'dark' },
    { width: 390, colorScheme: 'light' },
    { width: 390, colorScheme: 'dark' },
  ] as const)('has no barrier and no sideways scrolling at $width pixels, $colorScheme', async (view) => {
    const { page } = await open(view);
    await editor(page).fill('{ "maxAttempts": 3, "jitter": "none" }');
    await page.getByText('NO_JITTER').waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByText('attempts per call').waitFor();

    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
  });
});
