"""Decides which backups are kept: seven daily, five weekly, twelve monthly ones."""

from datetime import date

DAILY, WEEKLY, MONTHLY = 7, 5, 12


def keep(days: list[date]) -> set[date]:
    """The days whose backups are kept. The newest of each week and month counts; a day can count for more than one."""
    newest_first = sorted(set(days), reverse=True)
    kept = set(newest_first[:DAILY])
    kept |= first_of_each(newest_first, WEEKLY, lambda day: day.isocalendar()[:2])
    kept |= first_of_each(newest_first, MONTHLY, lambda day: (day.year, day.month))
    return kept


def first_of_each(newest_first, limit, period):
    """The first day of each of the first `limit` periods."""
    seen = {}
    for day in newest_first:
        seen.setdefault(period(day), day)
    return set(list(seen.values())[:limit])
