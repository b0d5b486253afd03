#!/usr/bin/env bash
# Three attempts that are four, or three. A task of Ansible 2.14.18 with `until` and `retries: 3` runs up to four times, and its result has `attempts`,
# the number of them. If it ends well at the third or the fourth, that is 3 or 4; if it fails to the end, four times, that is 3, the retries: a report
# or a limit that counts calls has one too few of each task that failed, and the same number for a success after three runs and a failure after four.
# `retries: 1` has run twice and says 1; `retries: 0` has run once, and says 1 as well. Seen on 2026-11-30, on Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download ansible-core=2.14.18-0+deb12u2 python3-jinja2=3.1.2-1+deb12u3 python3-markupsafe python3-packaging python3-resolvelib python3-yaml python3-cryptography python3-cffi-backend >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
cat >play.yaml <<'PLAY'
- hosts: localhost
  gather_facts: false
  tasks:
    - shell: echo run >>{{ item.name }}; test "$(wc -l <{{ item.name }})" -ge {{ item.well }}
      loop:
        - { name: retries-3-well-at-the-third, retries: 3, well: 3 }
        - { name: retries-3-well-at-the-fourth, retries: 3, well: 4 }
        - { name: retries-3-never-well, retries: 3, well: 100 }
        - { name: retries-1-never-well, retries: 1, well: 100 }
        - { name: retries-0-never-well, retries: 0, well: 100 }
      register: done
      until: done is success
      retries: "{{ item.retries }}"
      delay: 0
      ignore_errors: true
    - copy:
        dest: "{{ item.item.name }}.attempts"
        content: "{{ item.attempts }}"
      loop: "{{ done.results }}"
PLAY
export PYTHONPATH="$folder/debian/usr/lib/python3/dist-packages" HOME="$folder" ANSIBLE_LOCALHOST_WARNING=false LC_ALL=C.UTF-8
/usr/bin/python3 debian/usr/bin/ansible-playbook -i localhost, -c local -e ansible_python_interpreter=/usr/bin/python3 play.yaml >log 2>&1 || { cat log; exit 1; }
for file in retries-*.attempts; do
  name="${file%.attempts}"
  echo "${name//-/ }: $(wc -l <"$name") runs, attempts is $(cat "$file")"
done | tee seen
cat >expected <<'SEEN'
retries 0 never well: 1 runs, attempts is 1
retries 1 never well: 2 runs, attempts is 1
retries 3 never well: 4 runs, attempts is 3
retries 3 well at the fourth: 4 runs, attempts is 4
retries 3 well at the third: 3 runs, attempts is 3
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
