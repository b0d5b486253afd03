import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskMessage } from '../../../packages/core/src/failures/mask-message.ts';

/** Returns how many characters are read of a text, one by one or as a part of it. */
function countReads(text: string): number {
  let count = 0;
  maskMessage({
    length: text.length,
    charCodeAt: (index) => {
      count += 1;
      return text.charCodeAt(index);
    },
    slice: (start, end) => {
      count += Math.max(end - start, 0);
      return text.slice(start, end);
    },
  });
  return count;
}

describe('maskMessage', () => {
  it.each([
    ['a number with its sign', 'balance -5.20 after +3', 'balance # after #'],
    ['a number with its unit', 'waited 300ms of 5 s, 10%', 'waited # of # s, #%'],
    ['a number in base 16', 'at 0x1F of deadbeefcafe', 'at # of #'],
    ['a UUID', 'run e7b1c1f0-1b2c-4d3e-8f90-123456789abc ended', 'run # ended'],
    ['a UUID without a digit', 'run deadbeef-cafe-babe-face-facadefacade ended', 'run # ended'],
    ['an id behind its name', 'order-42, job_7 and user #5', 'order-#, job_# and user #'],
    ['an id with words behind it', 'user-42-not-found', 'user-#-not-found'],
    ['a random id', 'run V1StGXR8_Z5jdHi6B-myT ended', 'run # ended'],
    ['a random id without a digit', 'run kJhGdsQwErTyUiOpAsDfG ended', 'run # ended'],
    ['a random id of small letters behind its name', 'no cus_4kx7qhz2mw9t', 'no #'],
    ['the name of a pod', 'api-server-7f8d9c6b5-xkzlp died', 'api-server-# died'],
    ['an instant', 'since 2024-01-02T03:04:05.678Z', 'since #'],
    ['an instant of HTTP', 'since Tue, 02 Jan 2024 03:04:05 GMT', 'since #'],
    ['an instant as Date prints it', 'since Tue Jan 02 2024 03:04:05 GMT+0100 too late', 'since # too late'],
    ['an instant with AM', '5/6/2024, 3:04:05 PM: late', '#: late'],
    ['an address of IPv4', 'connect 127.0.0.1:6379 - Local (10.0.0.1:4)', 'connect # - Local (#)'],
    ['an address of IPv6', 'connect ::1:6379', 'connect #'],
    ['a list of any length', 'keys [1, 2, 3] of "a", "b"', "keys [#] of '…'"],
    ['quoted text', 'no “x”, «y» or `z` "a\\"b"', "no '…' or '…'"],
    ['a URL with delimiters', 'GET https://a.b/c?x=1,2&y=(3)z, then', 'GET <url>, then'],
    ['a URL in brackets', 'failed (http://a.b/c).', 'failed (<url>).'],
    ['an address of mail', 'from bob.x+y@example.com: no', 'from <email>: no'],
    ['a path', 'open /etc/hosts: denied', 'open <path>: denied'],
    ['a path of Windows', 'open C:\\a\\b.txt or \\\\server\\x', 'open <path> or <path>'],
    ['a relative path', 'in ./a, ../b, ~/c, src/a.ts:10:5', 'in <path>'],
    ['a value of JSON, but no key', '{"error": "x", "code": 12}', '{"error": \'…\', "code": #}'],
    ['white space', ' a\n\n\tb\0c ', 'a b c'],
  ])('masks %s', (_what, message, masked) => {
    expect(maskMessage(message)).toBe(masked);
  });

  it.each([
    "can't read the users' file",
    'cannot parse application/json or text/html',
    'read/write and/or neither',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'PrismaClientKnownRequestError is not a function',
    'isAnyImportOrReExport of getInOrderById',
    'unclosed "quotation',
    'May not be empty',
    'decade of facades',
    '@scope/name has no main',
    'Größe überschritten — пустой ответ 空',
    '',
  ])('keeps %s', (message) => {
    expect(maskMessage(message)).toBe(message);
  });

  it('takes a name before a colon for a key in an object only', () => {
    expect(maskMessage('"bob": not found, "al": not found')).toBe("'…': not found, '…': not found");
    expect(maskMessage('{"a": 1}, "bob": not found')).toBe('{"a": #}, \'…\': not found');
  });

  it('changes nothing that is masked already', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.constantFrom('order 42', 'a 5 b', 'x'), (end, start) => {
        const masked = maskMessage(`${start} ${end.replaceAll(/[^a-z ]/g, '')}`);

        expect(maskMessage(masked)).toBe(masked);
      }),
    );
  });

  it('reads a limited number of times each character: twice the text is twice the work', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'aB1 \n_-.:/\\@,;={}[]()<>"\'`“”#'),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(hostile, fc.string({ maxLength: 3 }), (unit, end) => {
        const [once, twice] = [500, 1_000].map((times) => countReads(unit.repeat(times) + end));

        expect(twice).toBeLessThan((once ?? 0) * 2.1 + 500);
        expect(twice).toBeLessThan(40 * (unit.length * 1_000 + end.length));
      }),
    );
  });

  it.each([
    '"',
    "'",
    '`',
    ' "',
    " 'a",
    '{"a',
    '{"a":',
    '{"a"   ,',
    '://',
    'a://)',
    '/',
    '@',
    'a@',
    '...',
    '-',
    '1-',
    '=,',
    'Jan ',
    '\\"',
    '{"\\"',
  ])('reads a limited number of times each character of many %s', (unit) => {
    const [once = 0, twice = 0] = [2_000, 4_000].map((times) => countReads(unit.repeat(times)));

    expect(twice).toBeLessThan(once * 2.05 + 100);
    expect(twice).toBeLessThan(40 * unit.length * 4_000);
  });
});
