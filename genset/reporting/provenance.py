"""Where a model's answers are from, for the page."""

from collections.abc import Iterator

from markupsafe import Markup

from genset.core.safe import clean
from genset.reporting.format import settings
from genset.score.results.runs import Run


def provenance(run: Run) -> Markup:
    """What a run records of the model, and of how it was scored."""
    form = Markup("<dt>{}</dt><dd>{}</dd>")
    return Markup("<dl>\n{}\n</dl>").format(
        Markup("\n").join(form.format(*fact) for fact in _facts(run))
    )


def _facts(run: Run) -> Iterator[tuple[str, str]]:
    code = Markup("<code>{}</code>")
    yield "Spec", code.format(clean(run.spec, 1000))
    if run.preprocessing:
        engine = f" with {clean(run.engine)}" if run.engine else ""
        yield "Weights", code.format(clean(run.weights_hash))
        yield "Preprocessing", clean(settings(run.preprocessing), 300)
        yield "Precision", f"{clean(run.precision)} on {clean(run.device)}{engine}"
    else:
        yield "Predictions", code.format(clean(run.weights_hash)) + ", computed elsewhere"
    yield "Classes", f"chooses among {run.classes:,}"
    yield "Versions", clean(settings(run.versions), 300)
    at = clean(run.created_at).replace("T", " ")
    yield "ModelAnswers", f"{at}, in {run.seconds:,.0f} s; run {run.key[:12]}"
