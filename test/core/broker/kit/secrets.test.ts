import { inspect } from 'node:util';
import {
  hideSecrets,
  hideSecretsInError,
  hideSecretsInValue,
  hideSecretsOfUrl,
  secretsIn,
  secretsOf,
} from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Passwords that occur in no other text. */
const passwords = fc
  .string({
    unit: fc.constantFrom(...'abcXYZ019%@:/?#[]!$&\'()*+,;= "<>\\^`{|}~é😀'),
    minLength: 6,
    maxLength: 20,
  })
  .map((text) => `sec${text}ret`);

/** Everything that is printed of a value. */
function printed(value: unknown): string {
  return `${String(value)}\n${inspect(value, { depth: 9, showHidden: true })}`;
}

describe('secretsOf', () => {
  it.each([
    ['redis://host:6379', []],
    ['redis://:hunter22@host', ['redis://:hunter22@host', ':hunter22', 'hunter22']],
    ['redis://u:a%20b@host', ['redis://u:a%20b@host', 'u:a%20b', 'a%20b', 'a b']],
    ['hunter22', ['hunter22']],
    ['//u:hunter22@host/db', ['//u:hunter22@host/db', 'hunter22']],
    ['postgres://host/db?password=a%20b', ['postgres://host/db?password=a%20b', 'a%20b', 'a b']],
  ])('of %s are %j, among others', (url, secrets) => {
    const found = secretsOf(url);

    expect(found).toEqual(expect.arrayContaining(secrets));
    expect(found.length === 0).toBe(secrets.length === 0);
  });

  it.each([
    ['its user', 'postgres://app1:app1@host/db', 'app1'],
    ['its scheme', 'postgres://postgres:postgres@host/db', 'postgres'],
    ['its database', 'postgres://app:orders@host/orders?sslmode=require', 'orders'],
    ['its host', 'redis://:cache@cache:6379/0', 'cache'],
    ['its user, written otherwise', 'postgres://a%62cd:ab%63d@host/db', 'abcd'],
    ['the name without a password is its database', 'postgres://test@host/test', 'test'],
  ])('leaves out a password that is %s: in %s', (_, url, password) => {
    expect(secretsOf(url)).not.toContain(password);
    const shown = hideSecrets(`${url}: ${password} does not exist`, secretsOf(url));

    expect(shown).toBe(`***: ${password} does not exist`);
  });

  it('shows the URL of a database whose password is as its user', () => {
    const url = 'postgres://postgres:postgres@127.0.0.1:5432/nodb';
    const shown = hideSecrets(`${url}?x=1 has no database "nodb"; role "postgres"`, secretsOf(url));

    expect(shown).toBe('***?x=1 has no database "nodb"; role "postgres"');
    expect(hideSecrets('postgres://postgres:postgres@h/db', secretsOf(url))).toBe('postgres://***@h/db');
  });

  it('lists longer texts before those that they contain', () => {
    const lengths = secretsOf('redis://user:p%40ss%3Aword@host').map(({ length }) => length);

    expect(lengths).toEqual([...lengths].sort((left, right) => right - left));
  });

  it('finds the URLs among other texts', () => {
    expect(secretsIn(['migrate', '--url', 'postgres://u:hunter22@h'])).toContain('hunter22');
    expect(secretsIn(['migrate', 'hunter22'])).toEqual([]);
  });
});

describe('hideSecrets', () => {
  it.each([
    ['no answer of redis://u:p@host:6379, retried', 'no answer of redis://***@host:6379, retried'],
    ['two: redis://a:b@c and postgres://d:e@f', 'two: redis://***@c and postgres://***@f'],
    ['postgres://h/db?user=app&password=s3cr3t&ssl=1', 'postgres://h/db?user=app&password=***&ssl=1'],
    ['{"token": "abcd"}', '{"token": "***"}'],
    ['at file:///app/node_modules/pg@8.23.1/index.js', 'at file:///app/node_modules/pg@8.23.1/index.js'],
    ['nothing to hide', 'nothing to hide'],
  ])('of %s shows %s', (text, shown) => {
    expect(hideSecrets(text)).toBe(shown);
  });

  it('hides known secrets wherever they occur, and a short one where it is the whole text', () => {
    expect(hideSecrets('AUTH hunter22 failed', ['hunter22'])).toBe('AUTH *** failed');
    expect(hideSecrets('an apple', ['a'])).toBe('an apple');
    expect(hideSecrets('a', ['a'])).toBe('***');
  });
});

describe('hideSecretsOfUrl', () => {
  it.each([
    ['u:s3cr3t@h:5432/db', '***@h:5432/db'],
    ['s3cr3t@h', '***@h'],
    ['postgres//u:s3cr3t@h/db', '***@h/db'],
    ['postgres:/u:s3cr3t@h/db', '***@h/db'],
    ['postgres://u:s3 cr@3t@h/db', 'postgres://***@h/db'],
    ['h:5432/db?password=s3cr3t', 'h:5432/db?password=***'],
    ['localhost:6379', 'localhost:6379'],
    ['hunter22', '***'],
    ['//u:hunter22@host/db', '***@host/db'],
  ])('of %s shows %s', (url, shown) => {
    expect(hideSecretsOfUrl(url)).toBe(shown);
  });
});

describe('hideSecretsInValue', () => {
  it('hides values of secret keys, and shows only the type of objects that are not plain', () => {
    const value = { password: 'abc', url: 'redis://u:p w@h', list: ['x', new Map([['y', 'z']])] };

    expect(hideSecretsInValue(value)).toEqual({
      password: '***',
      url: 'redis://***@h',
      list: ['x', 'object'],
    });
  });

  it('shows only the type of what cannot be read', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    expect(hideSecretsInValue(proxy)).toBe('object');
  });
});

describe('hideSecretsInError', () => {
  it('leaves no secret of a URL in an error, its properties or its causes', () => {
    fc.assert(
      fc.property(passwords, (password) => {
        const url = `redis://user:${encodeURIComponent(password)}@host:1`;
        const invalid = Object.assign(new TypeError(`Invalid URL ${url}`), {
          input: url,
          code: 'ERR_INVALID_URL',
        });
        const command = { name: 'auth', args: ['user', password] };
        const cause = new AggregateError([invalid], `tried ${url}`);
        const error = Object.assign(new Error(`no: ${password}`, { cause }), { command });

        const shown = hideSecretsInError(error, secretsOf(url));

        expect(printed(shown)).not.toContain(password);
        expect(printed(shown)).not.toContain(encodeURIComponent(password));
        expect(shown).toBe(error);
        expect(invalid).toMatchObject({ code: 'ERR_INVALID_URL', name: 'TypeError' });
      }),
    );
  });

  it('copies a frozen error', () => {
    const error = Object.freeze(Object.assign(new RangeError('not redis://u:p@h'), { code: 'X' }));

    const shown = hideSecretsInError(error, []);

    expect(shown).not.toBe(error);
    expect(shown).toMatchObject({ name: 'RangeError', code: 'X', message: 'not redis://***@h' });
    expect(printed(shown)).not.toContain('u:p');
  });

  it('returns other values and errors without secrets unchanged', () => {
    const error = new Error('refused');
    const before = printed(error);

    expect(hideSecretsInError(error, ['hunter22'])).toBe(error);
    expect(printed(error)).toBe(before);
    expect(hideSecretsInError('text', ['text'])).toBe('text');
  });

  it('ends for an error that is its own cause', () => {
    const error = new Error('redis://u:p@h');
    error.cause = error;

    expect(hideSecretsInError(error, [])).toBe(error);
    expect(error.message).toBe('redis://***@h');
  });
});

describe('hideSecrets of a text of many words', () => {
  it('agrees with one expression for the whole text, whose time grows with the square of the length', () => {
    const slow = (text: string): string => text.replace(/(?<!\bfile):\/\/\S*@/gi, '://***@');
    const part = fc.constantFrom('://', 'file', 'a', '@', ' ', ':', '/', 'File://', '\n', 'u:p@h');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        expect(hideSecrets(parts.join(''))).toBe(slow(parts.join('')));
      }),
    );
  });
});
