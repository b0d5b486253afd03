import { describe, expect, it } from 'vitest';
import { printable } from '../../packages/cli/src/terminal/printable.ts';

describe('printable', () => {
  it.each([
    ['\u001b[31m', '\\u001b[31m'],
    ['a\rb', 'a\\u000db'],
    // Trojan Source: what follows would be shown reversed.
    ['\u202egnp.exe', '\\u202egnp.exe'],
    ['\u2066x\u2069', '\\u2066x\\u2069'],
    ['\u200f\u200e\u061c', '\\u200f\\u200e\\u061c'],
    ['one\u2028two\u2029', 'one\\u2028two\\u2029'],
  ])('shows what a terminal would obey: %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it.each(['مرحبا', '👩‍👩‍👧', 'naïve', '語', 'क्‍ष'])('leaves letters and emoji as they are: %s', (text) => {
    expect(printable(text)).toBe(text);
  });
});
