#!/usr/bin/env bash
# An upload that is repeated unasked, with nothing in it. A PUT whose connection breaks before the answer is sent again by the clients that come with two
# languages, Net::HTTP 0.2.0 of Ruby 3.1.2 (`max_retries` is 1) and HTTP::Tiny 0.080 of Perl 5.36.0, though nobody has asked for a retry. Neither goes
# back to the beginning of a stream: the second request has no body, the server stores a file of 0 bytes and says 201, and the caller is told that all
# is well. A text is sent twice whole; a POST is an error. Seen on 2026-11-30, on Debian 12, with a server of Node 20.20.2.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 libyaml-0-2 libgmp10 >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
cat >server.mjs <<'SERVER'
// Reads the first upload to each path and closes its connection, as a process does that ends; stores the second.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const uploads = {};
const server = createServer(async (request, response) => {
  const { method, url } = request;
  if (method === 'GET') return response.end(uploads[url].join(' and '));
  let size = 0;
  for await (const piece of request) size += piece.length;
  (uploads[url] ??= []).push(size);
  if (uploads[url].length === 1) request.socket.destroy();
  else response.writeHead(201).end();
}).listen(0, '127.0.0.1', () => writeFileSync('port', `${server.address().port}`));
SERVER
node server.mjs &
server=$!
until [ -s port ]; do sleep 0.1; done
head -c 1000 /dev/zero >file
cat >upload.rb <<'SHOW'
require 'net/http'

uri = URI(ARGV[0])
request = Net::HTTP.const_get(ARGV[1].capitalize).new(uri)
if ARGV[2] == 'text'
  request.body = File.binread('file')
else
  request.body_stream = File.open('file', 'rb')
  request['Transfer-Encoding'] = 'chunked'
end
begin
  puts Net::HTTP.start(uri.host, uri.port) { |http| http.request(request) }.code
rescue EOFError => error
  puts error.class
end
SHOW
cat >upload.pl <<'SHOW'
use strict;
use warnings;
use HTTP::Tiny;

my ($url, $method, $form) = @ARGV;
open my $file, '<:raw', 'file' or die;
my $content = $form eq 'text' ? join('', <$file>) : sub { read $file, my $piece, 400; $piece };
my $answer = HTTP::Tiny->new->request($method, $url, { content => $content });
print $answer->{status} == 599 ? 'an error' : $answer->{status}, "\n";
SHOW
ruby() { LD_LIBRARY_PATH="$(echo debian/usr/lib/*-linux-gnu)" RUBYLIB="$(echo debian/usr/lib/ruby/3.1.0 debian/usr/lib/*-linux-gnu/ruby/3.1.0 | tr ' ' :)" debian/usr/bin/ruby3.1 --disable-gems "$@"; }
show() {
  name="$1"
  shift
  for way in 'PUT stream' 'PUT text' 'POST stream'; do
    url="http://127.0.0.1:$(cat port)/$name-${way/ /-}"
    echo "$name, $way: $("$@" "$url" $way), bodies of $(curl --silent "$url") bytes"
  done
}
{
  ruby -e 'require "net/http"; puts "Ruby #{RUBY_VERSION}, Net::HTTP #{Net::HTTP::VERSION}"'
  /usr/bin/perl -MHTTP::Tiny -e 'printf "Perl %vd, HTTP::Tiny %s\n", $^V, $HTTP::Tiny::VERSION'
  show Ruby ruby upload.rb
  show Perl /usr/bin/perl upload.pl
} | tee seen
cat >expected <<'SEEN'
Ruby 3.1.2, Net::HTTP 0.2.0
Perl 5.36.0, HTTP::Tiny 0.080
Ruby, PUT stream: 201, bodies of 1000 and 0 bytes
Ruby, PUT text: 201, bodies of 1000 and 1000 bytes
Ruby, POST stream: EOFError, bodies of 1000 bytes
Perl, PUT stream: 201, bodies of 1000 and 0 bytes
Perl, PUT text: 201, bodies of 1000 and 1000 bytes
Perl, POST stream: an error, bodies of 1000 bytes
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
