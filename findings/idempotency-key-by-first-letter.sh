#!/usr/bin/env bash
# An `Idempotency-Key` is a string in quotes by its draft, as a structured field; many clients send a bare UUID. To structured-headers 2.1.0
# and structured-field-values 2.0.4 a bare one that begins with a letter is a valid token, and one that begins with a digit an error: a
# server that parses the header takes three of eight keys and refuses the others, and the key of a test may be of either kind. With
# the latter a taken key is a symbol, which JSON leaves out. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts structured-headers@2.1.0 structured-field-values@2.0.4
cat >show.mjs <<'SHOW'
import { decodeItem } from 'structured-field-values';
import { parseItem, Token } from 'structured-headers';

function kindOf(read) {
  try {
    const value = read();
    return value instanceof Token ? 'a token' : `a ${typeof value}`;
  } catch {
    return 'an error';
  }
}

for (const key of [
  '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
  '8e03978e-40d5-43dd-bc93-6894a57f9324',
  'f81d4fae-7dec-41d0-a765-00a0c91e6bf6',
]) {
  const own = kindOf(() => parseItem(key)[0]);
  console.log(`${key}: structured-headers ${own}, structured-field-values ${kindOf(() => decodeItem(key).value)}`);
}
console.log(`as JSON: ${JSON.stringify({ key: decodeItem('f81d4fae-7dec-41d0-a765-00a0c91e6bf6').value })}`);

const digits = '0123456789abcdef';
const taken = [...digits].filter((digit) => kindOf(() => parseItem(`${digit}81d4fae-7dec-41d0-a765-00a0c91e6bf6`)) !== 'an error');
console.log(`first digits that are taken: ${taken.join('')}`);
SHOW
cat >expected <<'SEEN'
"8e03978e-40d5-43dd-bc93-6894a57f9324": structured-headers a string, structured-field-values a string
8e03978e-40d5-43dd-bc93-6894a57f9324: structured-headers an error, structured-field-values an error
f81d4fae-7dec-41d0-a765-00a0c91e6bf6: structured-headers a token, structured-field-values a symbol
as JSON: {}
first digits that are taken: abcdef
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
