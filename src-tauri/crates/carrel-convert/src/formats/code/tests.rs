//! What becomes of source files, and what every grammar finds in a small one of its language.

use super::convert;
use super::syntax::parts;
use carrel_engine::domain::{Block, BlockKind, CodePart, Location, Span};
use carrel_engine::seams::Limits;

/// Parts as `kind signature`, those inside a scope behind a `>`.
fn outline(language: &str, text: &str) -> Vec<String> {
    fn add(text: &str, blocks: &[Block], depth: usize, out: &mut Vec<String>) {
        for block in blocks {
            let BlockKind::Part { part, signature } = &block.kind else { continue };
            let mark = ">".repeat(depth);
            match part {
                CodePart::Import => out.push(format!("{mark}import {}", block.span.of(text).unwrap())),
                CodePart::Function => out.push(format!("{mark}fn {signature}")),
                CodePart::Scope => out.push(format!("{mark}in {signature}")),
                CodePart::Other => {}
            }
            add(text, &block.children, depth + 1, out);
        }
    }
    let mut out = Vec::new();
    add(text, &parts(language, text).unwrap_or_default(), 0, &mut out);
    out
}

#[test]
fn every_language_has_its_parts() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "rust",
            "use std::fs;\nuse std::io;\n\n/// Says it.\n#[test]\nfn a(x: u32) -> u32 {\n    x\n}\n\nimpl<T> Foo for Bar<T> {\n    const X: u8 = 1;\n    fn b(&self) {}\n}\n",
            &[
                "import use std::fs;\nuse std::io;",
                "fn fn a(x: u32) -> u32",
                "in impl<T> Foo for Bar<T>",
                ">fn fn b(&self)",
            ],
        ),
        (
            "python",
            "import os\nfrom sys import argv\n\n@cached\nclass A(B):\n    \"\"\"Doc.\"\"\"\n    x = 1\n\n    def go(self, n):\n        return n\n\nasync def main():\n    pass\n",
            &[
                "import import os\nfrom sys import argv",
                "in @cached class A(B)",
                ">fn def go(self, n)",
                "fn async def main()",
            ],
        ),
        (
            "javascript",
            "import a from 'a';\nexport default class A extends B {\n  x = 1;\n  go(n) { return n; }\n}\nexport async function run() {}\n",
            &[
                "import import a from 'a';",
                "in export default class A extends B",
                ">fn go(n)",
                "fn export async function run()",
            ],
        ),
        (
            "typescript",
            "import { a } from 'a';\nexport interface I { x: number }\nnamespace N { export function f(x: I): void {} }\nabstract class A<T> { private go(n: T): T { return n; } }\n",
            &[
                "import import { a } from 'a';",
                "in export interface I",
                "in namespace N",
                ">fn export function f(x: I): void",
                "in abstract class A<T>",
                ">fn private go(n: T): T",
            ],
        ),
        (
            "tsx",
            "export function App(p: P) {\n  return <p>{p.x}</p>;\n}\n",
            &["fn export function App(p: P)"],
        ),
        (
            "java",
            "package a.b;\nimport java.util.List;\npublic class A extends B {\n  int x;\n  A() {}\n  public int go(List<A> n) { return 1; }\n}\n",
            &[
                "import package a.b;\nimport java.util.List;",
                "in public class A extends B",
                ">fn A()",
                ">fn public int go(List<A> n)",
            ],
        ),
        (
            "c",
            "#ifndef A_H\n#define A_H\n#include <stdio.h>\nstatic int go(int n) {\n  return n;\n}\n#endif\n",
            &["import #include <stdio.h>\n", "fn static int go(int n)"],
        ),
        (
            "cpp",
            "#include <vector>\nnamespace n {\ntemplate <typename T>\nclass A : public B {\n public:\n  int go(T n) { return 1; }\n};\nint A<int>::out() { return 2; }\n}\n",
            &[
                "import #include <vector>\n",
                "in namespace n",
                ">in template <typename T> class A : public B",
                ">>fn int go(T n)",
                ">fn int A<int>::out()",
            ],
        ),
        (
            "go",
            "package main\n\nimport \"fmt\"\n\ntype A struct{ x int }\n\nfunc (a *A) Go(n int) int { return n }\n\nfunc main() { fmt.Println() }\n",
            &["import package main\n\nimport \"fmt\"", "fn func (a *A) Go(n int) int", "fn func main()"],
        ),
        (
            "csharp",
            "using System;\nnamespace N {\n  public class A : B {\n    public int X { get; set; }\n    public int Go(int n) { return n; }\n  }\n}\n",
            &[
                "import using System;",
                "in namespace N",
                ">in public class A : B",
                ">>fn public int X { get; set; }",
                ">>fn public int Go(int n)",
            ],
        ),
        (
            "ruby",
            "require 'set'\nmodule M\n  class A < B\n    def go(n)\n      n\n    end\n  end\nend\n",
            &["import require 'set'", "in module M", ">in class A < B", ">>fn def go(n)"],
        ),
        (
            "php",
            "<?php\nnamespace A;\nuse B\\C;\nclass D extends C {\n  public function go(int $n): int { return $n; }\n}\nfunction f() {}\n",
            &[
                "import use B\\C;",
                "in class D extends C",
                ">fn public function go(int $n): int",
                "fn function f()",
            ],
        ),
        ("bash", "source ./lib.sh\ngo() {\n  echo \"$1\"\n}\ngo 1\n", &["import source ./lib.sh", "fn go()"]),
        (
            "sql",
            "CREATE TABLE a (id INT PRIMARY KEY, n TEXT);\n\nSELECT n FROM a WHERE id = 1;\n",
            &["fn CREATE TABLE a (id INT PRIMARY KEY, n TEXT)", "fn SELECT n FROM a WHERE id = 1"],
        ),
    ];
    for (language, text, expected) in cases {
        assert_eq!(outline(language, text), *expected, "{language}");
    }
}

#[test]
fn comments_and_attributes_belong_to_what_follows_them() {
    let text = "// About a.\n// More.\n#[inline]\nfn a() {}\n\n// Alone.\n\nfn b() {}\n";
    let parts = parts("rust", text).unwrap();
    let texts: Vec<&str> = parts.iter().map(|part| part.span.of(text).unwrap().trim()).collect();
    assert_eq!(texts, ["// About a.\n// More.\n#[inline]\nfn a() {}", "// Alone.", "fn b() {}"]);
}

#[test]
fn what_cannot_be_read_is_left_to_lines() {
    assert!(parts("rust", "this is (no rust at all :::: ] } ) of any kind\n").is_none());
    assert!(parts("cobol", "MOVE A TO B.").is_none());
    assert!(parts("javascript", &"var a=b(c,d);".repeat(160_000)).is_none(), "minified");
    assert!(parts("python", &"(".repeat(200_000).replace("((((((((((", "((((((((((\n")).is_none());
    let deep = "class A {\n".repeat(5_000) + &"}\n".repeat(5_000);
    let parts = parts("java", &deep).unwrap();
    let mut depth = 0;
    let mut at = parts.first();
    while let Some(part) = at {
        depth += 1;
        at = part.children.first();
    }
    assert!(depth <= 9, "{depth}");
}

#[test]
fn fenced_with_language_and_lines() {
    let d = convert("\n\nfn a() {}\n\nfn b() {\n  \"```\";\n}\n", "x.rs", &Limits::default()).unwrap();
    assert_eq!(d.markdown, "````rust\nfn a() {}\n\nfn b() {\n  \"```\";\n}\n````");
    let at = |needle: &str| {
        let start = d.markdown.find(needle).unwrap();
        Location::of_span(Span::new(start, start + needle.len()), &d.locations).line
    };
    assert_eq!((at("fn a"), at("fn b")), (Some(3), Some(5)));
    assert_eq!(d.locations.last().unwrap().span.end, d.markdown.len());
}
