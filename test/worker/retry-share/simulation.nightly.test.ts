import { describe, it } from 'vitest';
import { expectRow, ROWS } from './rows.ts';

describe('an outage for which half of the runs fail three times', () => {
  it.each(Object.keys(ROWS) as (keyof typeof ROWS)[])('has the figures of the documentation %s', expectRow);
});
