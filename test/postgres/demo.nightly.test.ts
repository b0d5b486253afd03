import { describe, expect, it } from 'vitest';
import { BALANCED, killDemo, runDemo } from './killed-demo.ts';

describe('the demo in PGlite', () => {
  it('continues with what a killed demo left in its folder', async () => {
    const signal = await killDemo('', 'PGlite');

    const { code, text } = await runDemo('', ['--resume']);

    expect(signal).toBe('SIGKILL');
    expect(text).toContain(BALANCED);
    expect(code).toBe(0);
  });
});
