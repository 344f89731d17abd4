"""Commands about further classes in a release's photos."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genset.cli.common import counted, json_option, opened, runs_option, show, show_table
from genset.core.numbers import between, count

if TYPE_CHECKING:
    from genset.label.proposals.bias import Called, PhotosAsked, ProposalStats
    from genset.label.proposals.rounds import Proposed


@click.command()
@click.argument("release")
@runs_option
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME",
    help="A model by its name in the tables (default: all that were scored on RELEASE).",
)
@click.option("--most", default=8, show_default=True, help="Classes asked of a photo, 1 to 8.")
@click.option(
    "--random-share",
    "share",
    default=0.1,
    show_default=True,
    help="Share of photos with classes at random, which tells the bias of proposals.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of all draws.")
@click.option("--withdraw", is_flag=True, help="Ask no more about RELEASE; answers stay.")
@click.option("--dry-run", is_flag=True, help="Print what it would ask, and store nothing.")
@json_option
@click.pass_obj
def propose(folder: Path | None, /, release: str, as_json: bool, **options: Any) -> None:
    """Ask labelers which further classes the photos of RELEASE show.

    A photo's questions are the five best answers of each model, and the classes that its own may be
    taken for; those that most propose come first. A share of the photos has classes drawn at random
    in their place: genset labels stats says how many of these labelers call correct.

    The same again adds nothing. Models that were scored since add their classes in a new round.
    A photo keeps the kind that it was drawn for; after --withdraw, those of which nobody answered a
    question are drawn anew.

    \b
    genset labels propose v1 --dry-run
    genset labels propose v1 --model resnet50 --model vgg16 --random-share 0.2
    genset labels propose v1 --withdraw
    """
    if options["withdraw"]:
        _withdraw(folder, release, as_json)
        return
    from genset.label.proposals.choose import ModelAnswers
    from genset.label.proposals.plan import ProposalRules
    from genset.label.proposals.rounds import preview
    from genset.label.proposals.rounds import propose as propose_now
    from genset.release.reader import Release
    from genset.score.results.best_answers import best_answers

    rules = ProposalRules(options["most"], options["share"], options["seed"])
    with opened(folder) as (workspace, store):
        found = Release(workspace.releases / release)
        runs = options["runs"] or workspace.runs
        answers = [
            ModelAnswers(answer.name, answer.key, answer.by_photo)
            for answer in best_answers(runs, found.name, found.content_hash, options["models"])
        ]
        do = preview if options["dry_run"] else propose_now
        done = do(store, found, answers, rules, workspace.label)
    lines = list(_lines(done, would=options["dry_run"]))
    if done.held and (in_vain := _given("share", "seed")):
        lines.append(
            f"  {' and '.join(in_vain)} {'do' if len(in_vain) > 1 else 'does'} not apply to "
            f"{count(done.held, 'photo')}, drawn in an earlier round; genset labels propose "
            f"{release} --withdraw lets those be drawn anew of which nobody answered a question"
        )
    show(done, "\n".join(lines), as_json)


def _given(*names: str) -> list[str]:
    """Those of these options that stand on the command line, as they are written there."""
    context = click.get_current_context()
    given = click.core.ParameterSource.COMMANDLINE
    return [
        param.opts[0]
        for param in context.command.params
        if param.name in names and context.get_parameter_source(param.name) is given
    ]


def _withdraw(folder: Path | None, release: str, as_json: bool) -> None:
    from genset.label.proposals.rounds import withdraw

    with opened(folder) as (_, store):
        done = withdraw(store, release)
    text = (
        f"{release}: {count(done.questions, 'question')} of {count(done.rounds, 'round')} asked no "
        f"more; {done.labeled:,} of them have labels, which stay"
    )
    show(done, text, as_json)


def _lines(done: "Proposed", *, would: bool) -> list[str]:
    asks = "would ask" if would else "asks"
    lines = [
        f"{done.release}: {asks} {count(done.questions, 'new question')} of "
        f"{count(done.photos, 'photo')}, {done.at_random:,} of these with classes at random"
    ]
    if done.questions:
        lines.append(f"  they take {count(done.votes, 'vote')}, and more where votes may grow")
        lines.append(
            "  proposed by: " + ", ".join(f"{name} {number:,}" for name, number in done.by.items())
        )
    if done.claimed:
        lines.append(
            f"  {done.claimed:,} of them are of photos that another class's search found: the "
            "labels that they have count"
        )
    if done.again:
        lines.append(f"  {done.again:,} of them were withdrawn before")
    if done.known:
        lines.append(f"  {count(done.known, 'question')} asked already")
    if done.further:
        noted = "would be noted" if would else "noted"
        lines.append(f"  {count(done.further, 'further proposer')} of these {noted}")
    if done.left_out:
        lines.append(f"  left out: {counted(done.left_out, 'photo', 'photos')}")
    return lines


def show_proposal_stats(stats: "ProposalStats") -> None:
    """Print what became of proposals, the bias, and who agrees with them."""
    lack = stats.questions - stats.answered - stats.withdrawn
    gone = f"; {stats.withdrawn:,} withdrawn without all their votes" if stats.withdrawn else ""
    click.echo(
        f"\nFurther classes: {stats.answered:,} of {count(stats.questions, 'question')} answered; "
        f"{count(lack, 'lacks', 'lack')} votes ({stats.votes_missing:,} missing){gone}. "
        f"Decided so far: {stats.right:,} right, {stats.unclear:,} unclear, {stats.wrong:,} wrong"
    )
    rows = [("at random", stats.random), ("models", stats.models)]
    rows += [(f"  rank {place}", each) for place, each in enumerate(stats.by_rank, start=1)]
    rows += [("confusable", stats.confusable)]
    rows += [(f"  place {place}", each) for place, each in enumerate(stats.by_confusable, start=1)]
    rows += [("labelers, by the others", stats.labelers)]
    head = ("proposed by", "decided", "called correct", "share", "95 % interval")
    if cells := [(name, each.of, each.right, *_share(each)) for name, each in rows if each.of]:
        show_table(head, cells)
    if any(each.all.of for each in stats.by_model):
        click.echo("\nBy model, and of the classes that it alone proposed:")
        show_table(
            ("model", "questions", "correct", "share", "alone", "correct", "share"),
            [
                (
                    each.name,
                    each.questions,
                    each.all.right,
                    _share(each.all)[0],
                    each.alone.of,
                    each.alone.right,
                    _share(each.alone)[0],
                )
                for each in stats.by_model
            ],
        )
    click.echo(f"\n{_bias(stats)}")
    for where, photos in (("models'", stats.at_models), ("random", stats.at_random)):
        if photos.photos:
            click.echo(_photos(where, photos))
    if stats.mixed:
        click.echo(f"Of neither kind: {mixed_photos(stats.mixed)}")
    if stats.by_labeler:
        click.echo("\nWhat labelers call correct of what was proposed:")
        show_table(
            ("labeler", "of random ones", "of the others", "look, because"),
            [
                (
                    each.name,
                    f"{each.random:,}/{each.of_random:,}",
                    f"{each.proposed:,}/{each.of_proposed:,}",
                    "; ".join(each.look),
                )
                for each in stats.by_labeler
            ],
        )


def _bias(stats: "ProposalStats") -> str:
    if stats.random.share is None:
        least = f"{count(stats.random.of, 'random proposal')} decided; from 20 on it is told"
        return f"Bias of proposals: too few to tell ({least})"
    said = f"Bias of proposals: labelers call {_told(stats.random)} of random ones correct"
    if stats.models.share is not None:
        said += f", and {_told(stats.models)} of models'"
    return said


def _photos(where: str, photos: "PhotosAsked") -> str:
    said = f"Photos with {where} proposals, all decided: {photos.photos:,}"
    if photos.added_a_photo is None:
        return f"{said}; too few to tell how many show a further class"
    return (
        f"{said}; {_told(photos.with_further)} show a further class; labelers added "
        f"{photos.added:,} themselves, {photos.added_a_photo:.2f} a photo, to "
        f"{_told(photos.with_added)} of the photos"
    )


def mixed_photos(number: int) -> str:
    """That an import mixed what is drawn at random with what is proposed, in words."""
    return f"{count(number, 'photo')} with classes at random and others' proposals, as imported"


def _told(called: "Called") -> str:
    return "{} ({})".format(*_share(called))


def _share(called: "Called") -> tuple[str, str]:
    """In per cent, with its interval."""
    if called.share is None or called.low is None or called.high is None:
        return "too few to tell", ""
    return f"{100 * called.share:.1f} %", f"{between((called.low, called.high))} %"
