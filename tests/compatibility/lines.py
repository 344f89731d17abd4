"""The command lines that are held: what each answers on the kept workspace is in ``expected/``.

A line is written as for a shell, without "genset"; ``$TINY`` and the like stand for what `WORDS`
says. After ``>>`` come files that it writes, which are held too: of a folder the names in it, of a
page what one reads there.
"""

import shlex
import sys
from string import Template

_HOW = "resize=18&crop=16&mean=0.5&std=0.5"

WORDS = {
    # Scored on v1, v1.1 and photos.
    "TINY": f"file:tiny.pth?arch=tiny_models:net&{_HOW}",
    "ROUGH": f"file:rough.safetensors?arch=tiny_models:net&{_HOW}",
    # ... on v1 (and the first on v1.1).
    "ELSEWHERE": "predictions:elsewhere.csv",
    "THREE": "predictions:answers.npy?name=three&background=0",
    "HALF": f"file:tiny.pth?arch=tiny_models:net&{_HOW}&name=half",
    "QUICK": f"file:tiny.pth?arch=tiny_models:net&{_HOW}&name=quick",
    "TEN": f"file:rough.safetensors?arch=tiny_models:net&{_HOW}&name=ten-answers"
    "&interpolation=bicubic",
    "FEW": f"file:few.pth?arch=tiny_models:net&{_HOW}&classes=ten.txt",
    # ... on photos.
    "AVERAGED": f"file:few.pth?arch=tiny_models:net&{_HOW}&classes=ten.txt&ema=1&name=averaged",
    "ONNX": f"onnx:few.onnx?{_HOW}&classes=ten.txt&name=few-onnx",
    "SCRIPT": f"torchscript:few.pt?{_HOW}&classes=ten.txt&name=few-script",
    "EXPORT": f"export:few.pt2?{_HOW}&classes=ten.txt&name=few-export",
    "BY_ONNXRUNTIME": f"file:tiny.pth?arch=tiny_models:net&{_HOW}&name=by-onnxruntime",
    "NOUGHTS": "file:noughts.pth?arch=torchvision:squeezenet1_1",
    # ... on listed.csv.
    "SURE": "predictions:sure.npy",
    "OTHER": "predictions:other.npy",
    # Cut off after 16 photos: two on v1, and the pass of a genset finetune over shades.
    "CUT": f"file:tiny.pth?arch=tiny_models:net&{_HOW}&name=cut",
    "CUT_LOGITS": f"file:few.pth?arch=tiny_models:net&{_HOW}&classes=ten.txt&name=cut-logits",
    "CUT_HEAD": f"file:tiny.pth?arch=tiny_models:net&{_HOW}&interpolation=bicubic&name=cut",
    # Scored on nothing.
    "NEW": f"file:tiny.pth?arch=tiny_models:net&{_HOW}&name=new&interpolation=bicubic",
    # Several words.
    "HEADS": "finetune folder --data shades --test-share 0.4 --seeds 2 --strengths 0.1,1,10"
    " --shots 1,3,all",
    "SGD": "finetune folder --data shades --probe sgd --epochs 2 --seeds 1",
    "ENTRIES": "--tta dawnbench/ImageNet/train/speedy.tsv=tiny --tta trainings/fast=rough"
    " --lower elsewhere --upper tiny",
    "PYTHON": sys.executable,
}

# On a workspace whose networks refuse to run.
ANSWERED = """
init .
init other --json
keywords n02012849 n03126707
keywords n02012849 --json
keywords crane
scrape
scrape --classes n02123045,n01440764,n09472597 --dry-run
scrape --classes n02123045 --per-class 300 --license open --min-size 300 --dry-run --json
scrape --classes n02123045 --posted-after 2020-01-01 --posted-before 2019-01-01
scrape --classes n02123045 --posted-after yesterday
scrape --license mine
sandbox --photos photos --fault fire=0.5
add own-photos --source own --owner "Ann Ko" --license "CC BY 4.0" --posted 2019-05-01
add own-photos --owner "Ann Ko" --min-size 50 --json
add photos
refresh
remove flickr:7000402 --reason "its owner asked on 4 May"
remove 10005001@N05 --reason "does not want to take part" --json
remove flickr:1 --reason "who is that"
import imagenetv2 own-photos
pull listed.csv
hash photos -o again.hashes >> again.hashes
hash own-photos -o own.hashes --json
duplicates find
duplicates find --against seen.hashes --json
duplicates list
duplicates list --json
duplicates decide 2 --different --by ann
duplicates decide 2 --same --by ann --json
duplicates decide 99 --same
labelers list
labelers list --json
labelers invite Ann --address https://labels.example.org
labelers invite Zoe --json
labelers invite Eve
labelers block Ann
labelers block Nobody --json
labelers study list
labelers study list --json
labelers study add prolific 60d9aadeb86739de712faee0 --screens 50
labelers study add mturk NEW --screens 3 --code C0DE --json
labelers study add elsewhere NEW --screens 3
labelers controls list
labelers controls list --json
labelers controls add n04326547/flickr:7000500 --correct --reason "a wall"
labelers controls add n04326547/flickr:1 --correct --reason "a wall"
labelers controls retire 1
labelers controls retire 99
labels stats
labels stats --json
labels stats --panel fresh
labels review
labels review --json
labels review --panel main
labels aggregate --method majority
labels aggregate --method frequency --panel main --json
labels aggregate --method dawid-skene -o together.csv >> together.csv
labels aggregate --method best
labels rule n02012849/flickr:7000300 correct --reason "a crane in fog" --by ann
labels rule n02012849/flickr:1 correct --reason "what is it" --by ann
labels export all --json >> all
labels export labels.csv
labels import labels-export
labels import labels-export --json
labels import crowd.csv
labels import fresh.csv --panel other --json
labels import listed.csv
release verify v1
release verify v1.1 --json
release verify v9
release diff v1 v1.1
release diff v1 releases/v1.1 --json
release create v1
release create v2 --contact ann@example.org --json >> releases/v2
release create v2 --dry-run
release create v2 --panel fresh --licenses open --max-per-owner 1 --balance --dry-run
release create v2 --exclude duplicates --exclude seen.hashes --dry-run
release create v2 --strategy threshold --per-class 2 --threshold 0.6 --seed 3 --dry-run --json
release create v2 --strategy threshold --per-class 3 --threshold 0.9 --relax --dry-run
release create v2 --strategy top --per-class 2 --min-labels 3 --dry-run
release create v2 --strategy matched --reference crowd.csv --per-class 2 --fill-up --dry-run
release create v2 --strategy best
release takedown v1.1
release export v1.1 --format imagefolder >> v1.1-imagefolder
release export v1.1 --format webdataset --to shards --json >> shards
release export v1.1 --format parquet >> v1.1-parquet
release export v1.1 --format huggingface >> v1.1-huggingface
release export v1.1 --format manifest >> v1.1-manifest
release export v1.1 --format fiftyone >> v1.1-fiftyone
release export v1.1 --format zip
status
-w releases/v1 status --json
status --failed
status --failed --json
status --contested
status --contested --json
doctor
doctor --json
doctor --repair

evaluate v1 --model "$TINY"
evaluate v1 --model "$TINY" --json
evaluate v1 --model "$TINY" --streams 2 --cache pixels --engine torch
evaluate v1 --model "$TINY" --engine openvino
evaluate releases/v1 --model "$TINY" --model "$ROUGH"
evaluate v1 --model "$ROUGH" --model "$TINY" --k 3
evaluate v1 --model "$ROUGH" --json
evaluate v1 --model "$HALF" --precision bf16
evaluate v1 --model "$HALF" --precision bf16 --json
evaluate v1 --model "$QUICK" --decode fast --json
evaluate v1 --model "$TEN" --k 10
evaluate v1 --model "$TEN" --k 10 --json
evaluate v1 --model "$FEW"
evaluate v1 --model "$FEW" --logits --json
evaluate v1 --model "$ELSEWHERE" --model "$THREE"
evaluate v1 --model "$ELSEWHERE" --json
evaluate v1 --model "$THREE" --json
evaluate v1.1 --model "$TINY" --model "$ROUGH" --model "$ELSEWHERE"
evaluate photos --model "$TINY" --model "$ROUGH"
evaluate photos --model "$AVERAGED" --json
evaluate photos --model "$ONNX" --json
evaluate photos --model "$SCRIPT" --allow-code --json
evaluate photos --model "$EXPORT" --json
evaluate photos --model "$BY_ONNXRUNTIME" --engine onnxruntime --json
evaluate listed.csv --model "$SURE" --model "$OTHER"
evaluate listed.csv --model "$SURE" --json --runs runs
evaluate v1
evaluate v1 --model
evaluate v1 --model "$TINY" --fast
evaluate v1 --model "$TINY" --k 0
evaluate v1 --model "$TINY" --engine tensorflow
evaluate v1 --model "$TINY" --precision int8
evaluate v1 --model "$TINY" --decode never
evaluate v1 --model "$TINY" --streams -1
evaluate v1 --model "$TINY" --engine onnxruntime --precision bf16
evaluate v1 --model "$TINY" --engine-cluster slurm
evaluate v1 --model "$TINY" --price-per-hour 0.3
evaluate v1 --model "$SCRIPT"
evaluate v1 --model resnet50
evaluate v1 --model file:tiny.pth
evaluate v1 --model "file:tiny.pth?arch=tiny_models:net&colour=red"
evaluate v1 --model "file:tiny.pth?arch=tiny_models:net&crop=none"
evaluate v1 --model "file:tiny.pth?arch=tiny_models:gross"
evaluate v1 --model "file:tiny.pth?arch=no_models:net"
evaluate v1 --model "file:nowhere.pth?arch=tiny_models:net"
evaluate v1 --model "file:few.pth?arch=tiny_models:net"
evaluate v1 --model "$TINY" --model "file:nowhere.pth?arch=tiny_models:net" --json
evaluate v1 --model torchvision:resnet51
evaluate v1 --model predictions:nowhere.npy
evaluate v1 --model predictions:answers.npy
evaluate v1 --model predictions:listed.csv
evaluate listed.csv --model "$TINY"
evaluate v9 --model "$TINY"
evaluate shades --model "$TINY"

compare tiny rough --on v1
compare tiny elsewhere --on v1 --json
compare rough tiny
compare tiny few --on v1 --seed 7
compare elsewhere three --on v1
compare sure other --on listed.csv --json
compare tiny best --on v1
compare tiny rough --on v9
compare tiny
report
report v1
report v1 --reference published.csv --labels real.json $ENTRIES --markdown >> report-v1.html
report v1.1 --json --seed 4 --reference photos --labels real.json $ENTRIES
report v1.1 --markdown --reference imagenet-val -o report.html
report photos --markdown --lower noughts --upper tiny
report listed.csv --k 3 --json
report listed.csv >> report-listed.html
report own-photos --markdown
report v1 --lower rough
report v1 --lower elsewhere --upper best
report v1 --lower tiny --upper elsewhere
report v1 --k 20
report v1 --reference moon
report v1 --labels published.csv
report v1 --tta run.tsv
report v1 --tta nowhere.tsv=tiny
report v1 --tta dawnbench/ImageNet/train/odd.tsv=tiny
report v9
report v1 --pdf

$HEADS --model "$ROUGH" --model "$TINY"
$HEADS --model "$ROUGH" --model "$TINY" --json
$HEADS --model "$TINY" --markdown
$SGD --model "$TINY"
$SGD --model "$TINY" --json
finetune folder --data shades
finetune folder --model "$TINY"
finetune flowers --data shades --model "$TINY"
finetune birds-200 --data shades --model "$TINY"
finetune folder --data nowhere --model "$TINY"
finetune folder --data shades --model "$THREE"
finetune folder --data shades --model "$TINY" --probe all
finetune folder --data shades --model "$TINY" --shots few
finetune folder --data shades --model "$TINY" --strengths none
finetune folder --data shades --model "$TINY" --test-share 2

tta table dawnbench
tta table dawnbench --json
tta table dawnbench --markdown --by cost --until 2018-09-30
tta table dawnbench --threshold ImageNet=92 --threshold CIFAR10=90
tta table dawnbench --threshold much
tta table latency
tta table trainings
tta table own-photos
tta stability trainings/fast
tta stability trainings/fast --json
tta stability trainings/fast/run-1.tsv trainings/fast/run-2.tsv --threshold 92 --markdown
tta stability trainings/recorded -o runs.svg
tta thresholds dawnbench/ImageNet/train
tta thresholds dawnbench/ImageNet/train --from 80 --to 93 --step 4 --json
tta thresholds dawnbench/ImageNet/train --markdown -o thresholds.png
tta thresholds dawnbench/ImageNet/train -o thresholds.pdf
tta scaling 4=trainings/scaling/on-4.tsv 8=trainings/scaling/on-8.tsv
tta scaling 4=trainings/scaling/on-4.tsv 16=trainings/scaling/on-16.tsv --json --threshold 93.2
tta scaling four=trainings/scaling/on-4.tsv
tta record -o trainings/recorded/ann --model Tiny "$PYTHON" train.py >> trainings/recorded
tta record -o trainings/recorded/ann --model Tiny --threshold 92 --json "$PYTHON" train.py
tta record -o trainings/silent --model Tiny --author Ann --hardware "1 laptop" true
tta record -o trainings/new --model Tiny
nonsense
--loud status
"""

# On one whose networks run.
SCORED = """
evaluate v1 --model "$CUT"
evaluate v1 --model "$CUT_LOGITS" --logits --json
evaluate v1 --model "$NEW" --audit-preprocessing
evaluate own-photos --model "$TINY" --model "$FEW" --json
evaluate photos --model "$ONNX" --runs elsewhere --json >> elsewhere
$HEADS --model "$TINY" --save-heads heads >> heads
finetune folder --data shades --seeds 1 --model "$CUT_HEAD"
"""


def lines_of(table: str) -> list[str]:
    """The lines of a table."""
    return [line for line in table.splitlines() if line]


def words_of(line: str) -> list[str]:
    """The words that a line gives to genset."""
    return shlex.split(Template(line).substitute(WORDS))
