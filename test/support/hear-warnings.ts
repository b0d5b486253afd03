import { onTestFinished, vi } from 'vitest';

/**
 * Hears the process warnings until the test and its hooks have ended, in place of the terminal.
 *
 * @returns the warnings so far, as `CODE: message`
 */
export function hearWarnings(): readonly string[] {
  const heard: string[] = [];
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((warning, options) => {
    const code = typeof options === 'object' ? options.code : options;
    heard.push(`${code}: ${warning}`);
  });
  onTestFinished(() => spy.mockRestore());
  return heard;
}
