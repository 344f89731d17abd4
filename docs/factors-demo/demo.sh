#!/bin/sh
# Which of four switches of a small training script mattered, from 72 real runs:
#   docs/factors-demo/demo.sh [FOLDER]
# Needs genset[evaluate,label,demo] on the PATH. Run it again: it goes on where it stopped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-factors-demo}
mkdir -p "$folder"
cd "$folder"
[ -s digits.npz ] || python "$here/digits.py"
python "$here/runs.py" 4
cp "$here/runs.toml" .
printf '\n$ genset tta factors runs.toml -o factors.svg\n\n'
genset tta factors runs.toml -o factors.svg
printf '\nThe figure:\n\n    %s\n' "$PWD/factors.svg"
