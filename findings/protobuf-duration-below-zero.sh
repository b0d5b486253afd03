#!/usr/bin/env bash
# Durations of protobuf in JSON, below zero. proto3-json-serializer 3.0.6, the one of Google's Node clients, cuts their fraction when it
# writes them: minus 1.5 s is "-1s", and minus half a second "0s", nothing. What is right, as @bufbuild/protobuf 2.17.0 writes it, it
# refuses to read, its own "-1s" too. What is left of a deadline that has passed, or the skew of two clocks, is such a duration.
# Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts proto3-json-serializer@3.0.6 protobufjs@8.8.1 @bufbuild/protobuf@2.17.0
cat >show.mjs <<'SHOW'
import { create, toJson } from '@bufbuild/protobuf';
import { DurationSchema, durationFromMs } from '@bufbuild/protobuf/wkt';
import protobuf from 'protobufjs';
import { fromProto3JSON, toProto3JSON } from 'proto3-json-serializer';

const { nested } = protobuf.common.get('google/protobuf/duration.proto');
const Duration = protobuf.Root.fromJSON({ nested }).lookupType('google.protobuf.Duration');
const read = (text) => {
  try {
    const { seconds, nanos } = fromProto3JSON(Duration, text);
    return `${Number(seconds) + nanos / 1e9} s`;
  } catch {
    return 'refused';
  }
};
for (const milliseconds of [1_500, -1_500, -500]) {
  const { seconds, nanos } = create(DurationSchema, durationFromMs(milliseconds));
  const google = toProto3JSON(Duration.fromObject({ seconds: Number(seconds), nanos }));
  const bufbuild = toJson(DurationSchema, create(DurationSchema, { seconds, nanos }));
  console.log(`${milliseconds} ms: @bufbuild/protobuf ${bufbuild}, read ${read(bufbuild)}; proto3-json-serializer ${google}, read ${read(google)}`);
}
SHOW
cat >expected <<'SEEN'
1500 ms: @bufbuild/protobuf 1.500s, read 1.5 s; proto3-json-serializer 1.500s, read 1.5 s
-1500 ms: @bufbuild/protobuf -1.500s, read refused; proto3-json-serializer -1s, read refused
-500 ms: @bufbuild/protobuf -0.500s, read refused; proto3-json-serializer 0s, read 0 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
