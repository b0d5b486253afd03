import { describe, expect, it } from 'vitest';
import { printable, printableOutput } from '../../packages/cli/src/terminal/printable.ts';
import { writeJson } from '../../packages/cli/src/terminal/write-json.ts';

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

describe('what the program prints', () => {
  const foreign = [
    '\u009b31m',
    '\u200e',
    '\u202e',
    '\u2066',
    '\u2069',
    '\u007f',
    '\r',
    '\u001b[2J',
    '\u001b]0;x\u0007',
  ];

  it.each(foreign)('has no control character, nor one that turns its direction: %j', (text) => {
    const controls = /[^\P{Cc}\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

    expect(printableOutput(`a\n${text}b`)).not.toMatch(controls);
    const json = printableOutput(writeJson({ [text]: text }));
    expect(json).not.toMatch(controls);
    expect(JSON.parse(json)).toEqual({ [text]: text });
  });

  it('has its own styles and line breaks', () => {
    expect(printableOutput('\u001b[31mred\u001b[39m\n')).toBe('\u001b[31mred\u001b[39m\n');
    expect(printableOutput('{\n  "a": 1\n}')).toBe('{\n  "a": 1\n}');
  });
});
