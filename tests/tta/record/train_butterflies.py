"""Trains the last layer of squeezenet1_0 on a few butterflies: python train_butterflies.py DATA.

A real training loop, as small as one can be: 4 categories, 8 photos each to train on, 4 to test.
"""

import sys
from pathlib import Path

import torch
from PIL import Image
from torch.nn import functional
from torchvision.models import SqueezeNet1_0_Weights, squeezenet1_0

from genset.tta import Recorder

CATEGORIES, TRAINED, TESTED, EPOCHS = 4, 8, 4, 10


def main(data: Path) -> None:
    """Compute the features of each photo once, then train on them."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    recorder = Recorder()
    model = squeezenet1_0()
    model.load_state_dict(torch.load(data / "checkpoints" / "squeezenet1_0.pth", weights_only=True))
    model.eval()
    transform = SqueezeNet1_0_Weights.IMAGENET1K_V1.transforms()

    def features(first: int, count: int) -> torch.Tensor:
        folder = data / "leeds" / "leedsbutterfly" / "images"
        paths = [
            path
            for category in range(1, CATEGORIES + 1)
            for path in sorted(folder.glob(f"{category:03}*.png"))[first : first + count]
        ]
        photos = [transform(Image.open(path).convert("RGB")) for path in paths]
        with torch.inference_mode():
            return torch.cat([model.features(photo[None]) for photo in photos]).clone()

    train, test = features(0, TRAINED), features(TRAINED, TESTED)
    truth = torch.arange(CATEGORIES).repeat_interleave(TRAINED)
    expected = torch.arange(CATEGORIES).repeat_interleave(TESTED)
    last = torch.nn.Conv2d(512, CATEGORIES, 1)
    torch.nn.init.normal_(last.weight, std=0.01)
    optimizer = torch.optim.SGD(last.parameters(), lr=0.01, momentum=0.9)

    def scores(inputs: torch.Tensor) -> torch.Tensor:
        return functional.conv2d(inputs, last.weight, last.bias).mean((2, 3))

    for _ in range(EPOCHS):
        order = torch.randperm(len(train))
        for at in range(0, len(train), 8):
            batch = order[at : at + 8]
            optimizer.zero_grad()
            torch.autograd.backward(functional.cross_entropy(scores(train[batch]), truth[batch]))
            optimizer.step()
        with torch.inference_mode():
            right = (scores(test).argmax(1) == expected).float().mean()
        recorder.epoch(top1=100 * right)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
