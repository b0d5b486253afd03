import { expect, it } from 'vitest';
import { duration } from '../../packages/board/src/page/charts/figures.ts';

it.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [1_540, '1.5 s'],
  [9_960, '10 s'],
  [59_600, '1 min'],
  [1_623_000, '27 min'],
  [3_599_000, '1 h'],
  [12_000_000, '3 h 20 min'],
  [108_000_000, '30 h'],
  [345_600_000, '4 days'],
  [Infinity, 'no limit'],
  [Number.NaN, 'unknown'],
])('the page says %d ms as people do: %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
