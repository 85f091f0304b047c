"""The checks of the webhook beside this file, in Python: what a person writes into the file that `takeover init` begins."""

from takeover_oracle import FieldError, Kind, serve


def judge(question):
    spec = question.object.get("spec", {})
    size, most = spec.get("size"), spec.get("maxSize")
    if size is None:
        yield FieldError("FieldValueRequired", "spec.size")
    elif size < 1:
        yield FieldError("FieldValueInvalid", "spec.size", "must be greater than or equal to 1", bad_value=size)
    elif most is not None and most < size:
        yield FieldError("FieldValueInvalid", "spec.maxSize", "must not be less than size", bad_value=most)
    mode = spec.get("mode", "")
    if mode not in ("", "Fast", "Slow"):
        yield FieldError("FieldValueNotSupported", "spec.mode", 'supported values: "Fast", "Slow"', bad_value=mode)
    if len(spec.get("label", "").encode("utf-8", "surrogatepass")) > 20:
        yield FieldError("FieldValueTooLong", "spec.label", "may not be more than 20 bytes", bad_value=spec["label"])
    old = (question.old_object or {}).get("spec", {}).get("owner", "")
    if old and spec.get("owner", "") != old:
        yield FieldError("FieldValueInvalid", "spec.owner", "field is immutable", bad_value=spec.get("owner", ""))


serve(judge, name="widget-webhook", kinds=[Kind("shop.example.com/v1", "Widget")])
