#!/usr/bin/env python3
"""Measures `carrel convert` against MarkItDown and PDFium over files of public test suites.

Three steps, each by itself, so that one program can be measured again without the others:

    convert_table.py choose --suites DIR --list FILE            which files (rule: see `choose`)
    convert_table.py run    --suites DIR --list FILE --work DIR --engine carrel --program PATH
    convert_table.py run    ... --engine markitdown             (or pdfium)
    convert_table.py report --suites DIR --list FILE --work DIR [--documents DIR]

`--suites` holds clones of the suites as `owner/name/...`. `--documents` is a folder with an
`expected.json` (see `fixtures/documents`); its files are measured too. `run` and `report` need the
Python packages `markitdown[all]` and `pypdfium2`, and `report` the program `pdftotext` (poppler).
Linux only: descendants are followed with `PR_SET_CHILD_SUBREAPER`.

Cost is the processor time (user and system) of the process and all its descendants, never the time
on the clock, and the peak is the resident size of the largest of them. MarkItDown and PDFium are
loaded once and forked for each file: the start of Python is not counted against them. The start of
`carrel` and of its worker is counted.
"""
import argparse
import ast
import bisect
import collections
import ctypes
import html
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

FORMATS = {
    'pdf': ['pdf'], 'docx': ['docx', 'docm'], 'doc': ['doc'], 'odt': ['odt', 'fodt'], 'rtf': ['rtf'],
    'xlsx': ['xlsx', 'xlsm'], 'xls': ['xls'], 'xlsb': ['xlsb'], 'ods': ['ods', 'fods'],
    'pptx': ['pptx', 'pptm', 'ppsx'], 'ppt': ['ppt'], 'odp': ['odp'], 'html': ['html', 'htm'], 'epub': ['epub'],
    'eml': ['eml'], 'msg': ['msg'], 'csv': ['csv', 'tsv'], 'json': ['json', 'ndjson'], 'xml': ['xml'],
    'ipynb': ['ipynb'], 'text': ['txt', 'md'], 'vtt': ['vtt', 'srt'], 'zip': ['zip'],
}
FORMAT_OF = {e: f for f, es in FORMATS.items() for e in es}
SAMPLE = {'pdf': 48}
SAMPLE_OTHER = 4
LARGEST = 512 << 10
CPU_LIMIT = 60
CLOCK_LIMIT = 1800

# Published by the suites beside the files.
PASSWORDS = {
    'libreoffice-writer-password.pdf': 'openpassword', '2206.01062_pg3.pdf': '1234', 'password-example.pdf': 'test',
    'password.pdf': 'password', 'aes-128.pdf': 'foo', 'aes-128-m.pdf': 'foo', 'aes-256.pdf': 'foo',
    'aes-256-m.pdf': 'foo', 'aes-256-r6.pdf': 'usersecret', 'rc4-40.pdf': 'foo', 'rc4-128.pdf': 'foo',
    'testPDF_protected.pdf': 'userpassword', 'health_protected.pdf': 'userpass', 'zh_encrypted_userpw.pdf': 'geheim',
    'testEXCEL_protected_passtika.xlsx': 'tika', 'testPPT_protected_passtika.pptx': 'tika',
    'testWORD_protected_passtika.docx': 'tika', 'pass_protected.xlsx': '123', 'pass_protected.xlsb': '123',
}


# ---- which files ------------------------------------------------------------------------------

def truth_of(path):
    """The published Markdown of a file and who published it, or None."""
    if path.parent.name == 'sources':
        folder, who = path.parent.parent / 'groundtruth', 'docling'
    elif path.parent.name == 'test_files':
        folder, who = path.parent / 'expected_outputs', 'markitdown'
    else:
        return None
    for name in (path.name + '.md', path.stem + '.md'):
        if (folder / name).is_file() and (who == 'docling' or path.suffix == '.pdf'):
            return folder / name, who
    return None


def vectors(suites):
    """The strings that MarkItDown's own tests assert: file name to (wanted, forbidden)."""
    source = suites / 'microsoft/markitdown/packages/markitdown/tests/_test_vectors.py'
    found = {}
    if source.is_file():
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'FileTestVector':
                k = {w.arg: ast.literal_eval(w.value) for w in node.keywords}
                found[k['filename']] = (k['must_include'], k['must_not_include'])
    return found


def choose(suites, listing):
    """Every file with published Markdown or asserted strings, and of the rest, by path, every n-th
    of each format, n such that `SAMPLE` are taken; none above `LARGEST`, nothing for OCR tests."""
    asserted = vectors(suites)
    must, rest = [], collections.defaultdict(list)
    for p in sorted(suites.rglob('*')):
        r = str(p.relative_to(suites))
        f = FORMAT_OF.get(p.suffix[1:].lower())
        if not f or not p.is_file() or re.search(r'/groundtruth/|/expected_outputs/|/tests/data/ocr/', r):
            continue
        if p.stat().st_size == 0:
            continue
        if truth_of(p) or (p.name in asserted and 'markitdown/tests/test_files/' in r):
            must.append(r)
        elif p.stat().st_size <= LARGEST:
            rest[f].append(r)
    taken = list(must)
    for f, files in rest.items():
        n = min(SAMPLE.get(f, SAMPLE_OTHER), len(files))
        taken += [files[i * len(files) // n] for i in range(n)]
    listing.write_text(''.join(sorted(r + '\n' for r in taken)))
    print(len(taken), 'files,', len(must), 'of them with published results')


def items(args):
    """(key, path) of all files to measure."""
    out = [(r, args.suites / r) for r in args.list.read_text().splitlines() if (args.suites / r).is_file()]
    if args.documents:
        names = json.loads((args.documents / 'expected.json').read_text())
        out += [('documents/' + n, args.documents / n) for n in sorted(names) if (args.documents / n).is_file()]
    return out


# ---- running ----------------------------------------------------------------------------------

def descendants(root):
    parents = collections.defaultdict(list)
    for p in Path('/proc').iterdir():
        if p.name.isdigit():
            try:
                parents[int((p / 'stat').read_text().rsplit(')', 1)[1].split()[1])].append(int(p.name))
            except (OSError, IndexError):
                pass
    todo, found = [root], []
    while todo:
        for c in parents[todo.pop()]:
            found.append(c)
            todo.append(c)
    return found


def measured(work, output, error):
    """Runs `work` (a function that returns no more, or a command) in processes of its own."""
    read, write = os.pipe()
    monitor = os.fork()
    if monitor == 0:
        os.close(read)
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 1)
            os.dup2(os.open(error, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT + 5))
            code = 1
            try:
                if callable(work):
                    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
                    work()
                    code = 0
                else:
                    os.execv(work[0], work)
            except BaseException as e:  # noqa: BLE001 - reported as the engine's failure
                os.write(2, f'{type(e).__name__}: {e}'[:2000].encode())
            finally:
                sys.stdout.flush()
                os._exit(code)
        state = {'limit': False}

        def stop(*_):
            state['limit'] = True
            for p in descendants(os.getpid()):
                try:
                    os.kill(p, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        signal.signal(signal.SIGALRM, stop)
        signal.alarm(CLOCK_LIMIT)
        code = None
        while True:
            try:
                pid, status = os.waitpid(-1, 0)
                if pid == child:
                    code = status
            except ChildProcessError:
                break
            except InterruptedError:
                continue
        u = resource.getrusage(resource.RUSAGE_CHILDREN)
        os.write(write, json.dumps(dict(
            cpu=u.ru_utime + u.ru_stime, mb=u.ru_maxrss / 1024, exit=os.waitstatus_to_exitcode(code) if code is not None else None,
            clock=state['limit'], limit=state['limit'] or (code is not None and os.WIFSIGNALED(code) and os.WTERMSIG(code) in (signal.SIGXCPU, signal.SIGKILL)))).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, 'rb') as f:
        data = f.read()
    os.waitpid(monitor, 0)
    return json.loads(data) if data else dict(cpu=0, mb=0, exit=None, limit=True)


def engine_of(args):
    """A function from (path, password) to the work of one file; the output is JSON in every case."""
    if args.engine == 'carrel':
        program = str(args.program.resolve())
        return lambda p, w: [program, 'convert', str(p), '--json'] + (['--password', w] if w else [])
    if args.engine == 'markitdown':
        from markitdown import MarkItDown
        converter = MarkItDown(enable_plugins=False)
        return lambda p, w: lambda: print(json.dumps({'markdown': converter.convert(str(p)).markdown}))
    import pypdfium2

    def text(p, w):
        pages = []
        for page in pypdfium2.PdfDocument(str(p), password=w):
            t = page.get_textpage()
            pages.append(t.get_text_range())
            t.close()
            page.close()
        print(json.dumps({'markdown': '\n'.join(pages), 'pages': pages}))
    return lambda p, w: lambda: text(p, w)


def run(args):
    work_of = engine_of(args)
    folder = args.work / args.engine
    folder.mkdir(parents=True, exist_ok=True)
    ledger = args.work / f'{args.engine}.json'
    rows = json.loads(ledger.read_text()) if ledger.exists() else {}
    for key, path in items(args):
        pdf = path.suffix.lower() == '.pdf'
        if (args.only == 'pdf' and not pdf) or (args.only == 'other' and pdf) or (args.engine == 'pdfium' and not pdf):
            continue
        if args.match and args.match not in key or args.resume and key in rows:
            continue
        out = folder / (key.replace('/', '~') + '.json')
        rows[key] = measured(work_of(path, PASSWORDS.get(path.name)), out, str(out) + '.err')
        rows[key]['error'] = Path(str(out) + '.err').read_text(errors='replace')[-400:]
        ledger.write_text(json.dumps(rows, indent=1))
    total = sum(r['cpu'] for r in rows.values())
    print(args.engine, len(rows), 'files', round(total, 1), 'CPU s')


# ---- comparing --------------------------------------------------------------------------------

def fold(t):
    return ''.join(c for c in unicodedata.normalize('NFKC', t).casefold() if not c.isspace())


def words(t):
    t = unicodedata.normalize('NFKC', t).lower()
    t = re.sub(r'[-\u00ad\u2010\u0002\ufffe][ \t]*\r?\n\s*', '', t)
    t = re.sub(r'[-\u00ad\u2010\u0002\ufffe]', '', t)
    out = []
    for w in re.findall(r'\w+', t):
        out += list(w) if re.search(r'[\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af]', w) else [w]
    return out


def plain(md):
    """Markdown without its marks: what is left is the text to compare."""
    t = re.sub(r'<!--.*?-->', '', md, flags=re.S)
    t = re.sub(r'!\[([^\]]*)\]\([^)]*\)', r'\1', t)
    t = re.sub(r'(?<!\\)\[([^\]^]*)\]\([^)]*\)', r'\1', t)
    t = re.sub(r'^#{1,6} ', '', t, flags=re.M)
    t = re.sub(r'^\|[ :\-|]*\|$', '', t, flags=re.M)
    t = re.sub(r'</?(br|u|sub|sup|kbd|b|i|mark)/?>', ' ', t)
    t = re.sub(r'\\([\\`*_{}\[\]()#+\-.!|<>~$&])', r'\1', t)
    t = re.sub(r'^```.*$', '', t, flags=re.M)
    t = re.sub(r'^(\s*)[-*+] ', r'\1', t, flags=re.M)
    return re.sub(r'(?<!\w)_+|_+(?!\w)', ' ', html.unescape(t))


def f1(a, b):
    n = sum((collections.Counter(a) & collections.Counter(b)).values())
    return 2 * n / (len(a) + len(b)) if a or b else 1.0


def order(ref, out, n=6):
    """Share of the reference's runs of six words that are found as runs."""
    a, b = (collections.Counter(tuple(w[i:i + n]) for i in range(len(w) - n + 1)) for w in (ref, out))
    return sum((a & b).values()) / sum(a.values()) if a else None


def cell(t):
    return fold(html.unescape(re.sub(r'[*`\\]|</?\w+/?>', '', t)))


def rows_of(md):
    found = []
    for line in md.splitlines():
        if line.startswith('|') and not re.fullmatch(r'[|\-: ]+', line):
            found.append([cell(c) for c in re.split(r'(?<!\\)\|', line.strip().strip('|'))])
    return found


def heads_of(md):
    return [cell(line.lstrip('# ')) for line in md.splitlines() if re.match(r'#{1,6} ', line)]


def rows_found(wanted, found, least=1):
    """A row is found when all its cells (repetitions of a merged cell dropped) are cells of one row.
    Rows of fewer than `least` different cells do not count."""
    sets = [set(r) for r in found]
    wanted = [set(c for c in r if c) for r in wanted]
    wanted = [w for w in wanted if len(w) >= least]
    return sum(any(w <= s for s in sets) for w in wanted), len(wanted)


def heads_found(wanted, found):
    wanted = [w for w in wanted if w]
    return sum(any(w == h or (len(w) > 3 and w in h) for h in found) for w in wanted), len(wanted)


def locate(document, start):
    """The page of the location that holds a byte, or of the next one: a list's marks lie before it."""
    locations = document.get('locations', [])
    i = bisect.bisect_right(locations, start, key=lambda x: x['end'])
    return locations[i].get('page') if i < len(locations) else None


def expected_page(document, text):
    """The page that the document gives for the first occurrence of a string."""
    folded, offsets, at = [], [], 0
    for ch in document['markdown']:
        for c in fold(ch):
            folded.append(c)
            offsets.append(at)
        at += len(ch.encode())
    i = ''.join(folded).find(fold(text))
    return locate(document, offsets[i]) if i >= 0 else None


def runs_on_pages(document, pages):
    """(right, wrong, example) over runs of five words that occur once in the file and once in the text;
    a run is right when its page is among those that its words are said to lie on."""
    low = ''.join(c.lower() if len(c.lower()) == 1 else c for c in document['markdown'])
    hits = [(m.group(), m.start()) for m in re.finditer(r'\w+', low)]
    here = collections.defaultdict(list)
    for i in range(len(hits) - 4):
        here[tuple(w for w, _ in hits[i:i + 5])].append([s for _, s in hits[i:i + 5]])
    per = []
    for t in pages:
        w = re.findall(r'\w+', ''.join(c.lower() if len(c.lower()) == 1 else c for c in t))
        per.append(collections.Counter(tuple(w[i:i + 5]) for i in range(len(w) - 4)))
    total = sum(per, collections.Counter())
    at = [0]
    for ch in document['markdown']:
        at.append(at[-1] + len(ch.encode()))
    right = wrong = 0
    example = None
    for n, grams in enumerate(per, 1):
        for g in sorted(grams)[:60]:
            if total[g] == 1 and len(here.get(g, ())) == 1:
                said = {locate(document, at[s]) for s in here[g][0]}
                right += n in said
                wrong += n not in said
                if n not in said:
                    example = example or f'"{" ".join(g)}" is on page {n}, said {sorted(said, key=str)}'
    return right, wrong, example


def load(work, engine, key):
    p = work / engine / (key.replace('/', '~') + '.json')
    try:
        d = json.loads(p.read_text(errors='replace'))
    except (OSError, ValueError):
        return {'markdown': ''}
    return d if isinstance(d, dict) and isinstance(d.get('markdown'), str) else {'markdown': ''}


def poppler(work, key, path):
    cache = work / 'poppler' / (key.replace('/', '~') + '.txt')
    cache.parent.mkdir(parents=True, exist_ok=True)
    if not cache.exists():
        password = PASSWORDS.get(path.name)
        try:
            p = subprocess.run(['pdftotext', '-enc', 'UTF-8', *(['-upw', password] if password else []), str(path), '-'], capture_output=True, timeout=120,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
            cache.write_bytes(p.stdout)
        except subprocess.TimeoutExpired:
            cache.write_bytes(b'')
    return cache.read_text(errors='replace')


def interrupted(row):
    """Killed from outside, by neither of the two limits: says nothing about the engine."""
    return row['exit'] == -signal.SIGKILL and row['cpu'] < CPU_LIMIT - 1 and not row.get('clock')


def judge(args):
    """Per file and engine, all measures that apply."""
    asserted = vectors(args.suites)
    expected = json.loads((args.documents / 'expected.json').read_text()) if args.documents else {}
    ledgers = {e: json.loads((args.work / f'{e}.json').read_text()) for e in ('carrel', 'markitdown', 'pdfium') if (args.work / f'{e}.json').exists()}
    results, own_tests = [], set()
    for key, path in items(args):
        if any(interrupted(ledger[key]) for ledger in ledgers.values() if key in ledger):
            print('left out, a run was interrupted:', key, file=sys.stderr)
            continue
        fmt = FORMAT_OF[path.suffix[1:].lower()]
        ref = load(args.work, 'pdfium', key) if fmt == 'pdf' else None
        ref_words = words(ref['markdown']) if ref else []
        pop_words = words(poppler(args.work, key, path)) if ref else []
        agree = bool(ref_words) and len(ref_words) >= 50 and f1(ref_words, pop_words) >= 0.97
        prose = agree and len(ref_words) >= 200 and (order(ref_words, pop_words) or 0) >= 0.97
        layer = bool(ref) and bool(ref.get('pages')) and all(len(t.strip()) >= 20 for t in ref['pages'])
        truth = truth_of(path) if not key.startswith('documents/') else None
        truth_md = truth[0].read_text() if truth else None
        want = expected.get(path.name, {}) if key.startswith('documents/') else {}
        if not want and path.name in asserted and '/test_files/' in key:
            own_tests.add(key)
            wanted, unwanted = asserted[path.name]
            want = {'must_contain': [re.sub(r'^#+ ', '', s) for s in wanted if not s.startswith('data:')], 'must_not_contain': unwanted,
                    'headings': [s for s in wanted if s.startswith('#')]}
        for engine, ledger in ledgers.items():
            if key not in ledger:
                continue
            d = load(args.work, engine, key)
            md = d['markdown']
            r = dict(key=key, format=fmt, engine=engine, opened=bool(re.search(r'\w', plain(md))), layer=layer, agree=agree, prose=prose, **ledger[key])
            r['complete'], r['warnings'] = d.get('complete'), [w.get('message', '') for w in d.get('warnings', [])]
            text, heads, rows = fold(re.sub(r'\\(?=[^\w\s])', '', md)), heads_of(md), rows_of(md)
            raw = fold(md)
            s = [w for w in want.get('must_contain', []) if fold(w) not in text and fold(w) not in raw]
            if key in own_tests:
                letters = re.sub(r'\W', '', fold(plain(md))), re.sub(r'\W', '', raw)
                s = [w for w in s if re.sub(r'\W', '', fold(plain(w))) not in letters[0] and re.sub(r'\W', '', fold(w)) not in letters[1]]
            r['strings'], r['strings_of'], r['missed'] = len(want.get('must_contain', [])) - len(s), len(want.get('must_contain', [])), s
            r['forbidden'] = [w for w in want.get('must_not_contain', []) if md and fold(w) in raw]
            r['order'] = [w for w in want.get('in_order', []) if not in_order(text, w)]
            r['rows'], r['rows_of'] = rows_found([[cell(c) for c in x] for x in want.get('table_rows', [])], rows)
            r['heads'], r['heads_of'] = heads_found([cell(h.lstrip('# ')) for h in want.get('headings', [])], heads)
            r['pages'] = sum(engine == 'carrel' and expected_page(d, t) == n for t, n in want.get('pages', {}).items())
            r['pages_of'] = len(want.get('pages', {}))
            if truth:
                r['truth'] = truth[1]
                r['truth_f1'] = f1(words(plain(truth_md)), words(plain(md)))
                r['truth_rows'], r['truth_rows_of'] = rows_found(rows_of(truth_md), rows, least=2)
                r['truth_heads'], r['truth_heads_of'] = heads_found(heads_of(truth_md), heads)
                r['heads_made'] = len(heads)
            if agree:
                r['f1'] = f1(ref_words, words(plain(md)))
                own = words(plain(md))
                r['six'] = order(ref_words, own)
            if engine == 'carrel' and ref and ref.get('pages') and r['opened']:
                r['runs_right'], r['runs_wrong'], r['runs_example'] = runs_on_pages(d, ref['pages'])
            results.append(r)
    return results


def in_order(text, strings):
    at = 0
    for s in strings if isinstance(strings, list) else [strings]:
        i = text.find(fold(s), at)
        if i < 0:
            return False
        at = i + 1
    return True


# ---- the table --------------------------------------------------------------------------------

def mean(xs):
    xs = list(xs)
    return f'{sum(xs) / len(xs):.3f}' if xs else '–'


def ratio(rs, a, b):
    n = sum(r.get(b, 0) for r in rs)
    return f'{sum(r.get(a, 0) for r in rs)}/{n}' if n else '–'


def pdf_table(results):
    by = {e: [r for r in results if r['engine'] == e and r['format'] == 'pdf'] for e in ('carrel', 'markitdown', 'pdfium')}
    lines = ['| PDF | Carrel | MarkItDown | PDFium |', '|---|---|---|---|']

    def line(name, f):
        lines.append(f'| {name} | ' + ' | '.join(f(by[e]) for e in by) + ' |')

    def truth(rs, who):
        return [r for r in rs if r.get('truth') == who]
    line('files', lambda rs: str(len(rs)))
    line('opened (text came out)', lambda rs: str(sum(r['opened'] for r in rs)))
    line('expected strings', lambda rs: ratio(rs, 'strings', 'strings_of'))
    line('expected table rows', lambda rs: ratio(rs, 'rows', 'rows_of'))
    line('expected headings', lambda rs: ratio(rs, 'heads', 'heads_of'))
    lines.append('| page of an expected string | ' + ratio(by['carrel'], 'pages', 'pages_of') + ' | no pages | – |')
    ok, bad = sum(r.get('runs_right', 0) for r in by['carrel']), sum(r.get('runs_wrong', 0) for r in by['carrel'])
    lines.append(f'| page of a run of five words that occurs once | {ok}/{ok + bad} | no pages | (reference) |')
    n = sum(r['agree'] for r in by['pdfium'])
    p = sum(r['prose'] for r in by['pdfium'])
    line(f'word-F1, {n} files where pdftotext agrees with PDFium', lambda rs: mean(r['f1'] for r in rs if r['agree']))
    line('order (runs of six words), the same files', lambda rs: mean(r['six'] or 0 for r in rs if r['agree']))
    line(f'word-F1, {p} of them whose order pdftotext gives too', lambda rs: mean(r['f1'] for r in rs if r['prose']))
    line('order, the same', lambda rs: mean(r['six'] or 0 for r in rs if r['prose']))
    n = len(truth(by['carrel'], 'docling'))
    line(f'docling\'s Markdown ({n} files): word-F1', lambda rs: mean(r['truth_f1'] for r in truth(rs, 'docling')))
    line('… headings', lambda rs: ratio(truth(rs, 'docling'), 'truth_heads', 'truth_heads_of'))
    line('… headings made, in all', lambda rs: str(sum(r['heads_made'] for r in truth(rs, 'docling'))))
    line('… table rows', lambda rs: ratio(truth(rs, 'docling'), 'truth_rows', 'truth_rows_of'))
    line('table rows of MarkItDown\'s own Markdown', lambda rs: ratio(truth(rs, 'markitdown'), 'truth_rows', 'truth_rows_of'))
    line('CPU s, files with text on all pages', lambda rs: f"{sum(r['cpu'] for r in rs if r['layer']):.1f}")
    line('CPU s, all files', lambda rs: f"{sum(r['cpu'] for r in rs):.1f}")
    line('peak MB, files with text on all pages', lambda rs: f"{max((r['mb'] for r in rs if r['layer']), default=0):.0f}")
    line('peak MB', lambda rs: f"{max((r['mb'] for r in rs), default=0):.0f}")
    line('stopped at the limit', lambda rs: str(sum(r['limit'] for r in rs)))
    return lines


def other_table(results):
    lines = ['| format | files | opened | expected strings | forbidden found | table rows | headings | word-F1 (files) | CPU s | peak MB |', '|---|---|---|---|---|---|---|---|---|---|']
    total = []
    for fmt in list(FORMATS)[1:] + ['all']:
        rs = [[r for r in results if r['engine'] == e and r['format'] != 'pdf' and fmt in (r['format'], 'all')] for e in ('carrel', 'markitdown')]
        if not rs[0] and not rs[1]:
            continue
        total.append(rs)

        def both(f):
            return ' / '.join(f(x) for x in rs)

        def sums(x, a, b):
            n = sum(r.get(b + '_of', 0) + r.get(a + '_of', 0) for r in x)
            return f"{sum(r.get(b, 0) + r.get(a, 0) for r in x)} of {n}" if n else '–'
        n = sum('truth' in r for r in rs[0])
        lines.append(f"| {fmt} | {len(rs[0])} | " + ' | '.join([
            both(lambda x: str(sum(r['opened'] for r in x))), both(lambda x: sums(x, 'strings', 'nothing')),
            both(lambda x: str(sum(len(r['forbidden']) for r in x))), both(lambda x: sums(x, 'rows', 'truth_rows')),
            both(lambda x: sums(x, 'heads', 'truth_heads')), both(lambda x: mean(r['truth_f1'] for r in x if 'truth' in r)) + (f' ({n})' if n else ''),
            both(lambda x: f"{sum(r['cpu'] for r in x):.1f}"), both(lambda x: f"{max((r['mb'] for r in x), default=0):.0f}")]) + ' |')
    return lines


def worse(results):
    """Files on which Carrel is clearly worse than a peer."""
    by = collections.defaultdict(dict)
    for r in results:
        by[r['key']][r['engine']] = r
    for key, e in by.items():
        c = e.get('carrel')
        if not c:
            continue
        if c['limit'] or (c['exit'] or 0) not in (0, 1) or c['warnings'] or c['complete'] is False:
            yield key, f"exit {c['exit']} limit {c['limit']} complete {c['complete']} {c['warnings'][:3]} {c['error'][:150]}"
        if c.get('missed') or c['forbidden'] or c['order'] or c['rows'] < c['rows_of'] or c['heads'] < c['heads_of'] or c['pages'] < c['pages_of']:
            yield key, f"missed {c['missed']} forbidden {c['forbidden']} order {c['order']} rows {c['rows']}/{c['rows_of']} heads {c['heads']}/{c['heads_of']} pages {c['pages']}/{c['pages_of']}"
        if c.get('runs_wrong'):
            yield key, f"pages wrong {c['runs_wrong']} of {c['runs_right'] + c['runs_wrong']}: {c['runs_example']}"
        for name in ('markitdown', 'pdfium'):
            m = e.get(name)
            if not m:
                continue
            if m['opened'] and not c['opened']:
                yield key, f"only {name} opened it; Carrel: exit {c['exit']} {c['error'][:200]}"
            for k, low in (('truth_f1', 0.03), ('f1', 0.03), ('six', 0.05)):
                if m.get(k) is not None and m[k] > (c.get(k) or 0) + low:
                    yield key, f"{k} {c.get(k) or 0:.3f}, {name} {m[k]:.3f}"
            for k in ('strings', 'rows', 'heads', 'truth_rows', 'truth_heads'):
                if m.get(k, 0) > c.get(k, 0):
                    yield key, f"{k} {c.get(k)}, {name} {m.get(k)} of {c.get(k + '_of')}"


def report(args):
    results = judge(args)
    (args.work / 'results.json').write_text(json.dumps(results, indent=1, ensure_ascii=False))
    print('\n'.join(pdf_table(results)), '\n')
    print('Carrel / MarkItDown\n')
    print('\n'.join(other_table(results)), '\n')
    if args.details:
        for key, text in worse(results):
            print(key, '·', text)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('step', choices=['choose', 'run', 'report'])
    p.add_argument('--suites', type=Path, required=True, help='folder with the suites as owner/name')
    p.add_argument('--list', type=Path, required=True, help='the chosen files, one path a line')
    p.add_argument('--documents', type=Path, help='folder with expected.json and its files')
    p.add_argument('--work', type=Path, help='folder for outputs')
    p.add_argument('--engine', choices=['carrel', 'markitdown', 'pdfium'])
    p.add_argument('--program', type=Path, help='the carrel program; its worker lies beside it')
    p.add_argument('--only', choices=['pdf', 'other'])
    p.add_argument('--match', help='only files whose path contains this')
    p.add_argument('--resume', action='store_true', help='skip what was run before')
    p.add_argument('--details', action='store_true', help='also list the files where a peer is better')
    args = p.parse_args()
    if args.step == 'choose':
        choose(args.suites, args.list)
    elif args.step == 'run':
        run(args)
    else:
        report(args)


if __name__ == '__main__':
    main()
