//! Which grammar reads a language, and what its nodes are called.

use tree_sitter::Language;
use tree_sitter_language::LanguageFn;

/// What is looked for in the syntax tree of a language. Kinds of nodes go by the grammar's own names.
pub(super) struct Grammar {
    pub(super) language: Language,
    /// Imports and the like.
    pub(super) imports: &'static [&'static str],
    /// Functions, methods, macros: kept whole where they fit.
    pub(super) functions: &'static [&'static str],
    /// Classes, modules, implementations: what has parts of its own in its body.
    pub(super) scopes: &'static [&'static str],
    /// What only stands around a part: an export, a decorator, a template.
    pub(super) wrappers: &'static [&'static str],
    /// What is passed through as if it were not there: the branches of a preprocessor.
    pub(super) transparent: &'static [&'static str],
    /// Words with which a call is an import.
    pub(super) import_calls: &'static [&'static str],
}

const SCRIPT_FUNCTIONS: &[&str] = &[
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
    "method_definition",
    "abstract_method_signature",
];
const C_TRANSPARENT: &[&str] = &["preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif"];

/// The grammar of a language as fences name it.
pub(super) fn grammar(language: &str) -> Option<Grammar> {
    let of = |language: LanguageFn| Grammar {
        language: language.into(),
        imports: &[],
        functions: &[],
        scopes: &[],
        wrappers: &[],
        transparent: &[],
        import_calls: &[],
    };
    let script = |language: LanguageFn| Grammar {
        imports: &["import_statement", "import_alias"],
        functions: SCRIPT_FUNCTIONS,
        scopes: &[
            "class_declaration",
            "class",
            "abstract_class_declaration",
            "interface_declaration",
            "internal_module",
            "module",
        ],
        wrappers: &["export_statement", "ambient_declaration", "expression_statement"],
        ..of(language)
    };
    Some(match language {
        "rust" => Grammar {
            imports: &["use_declaration", "extern_crate_declaration"],
            functions: &["function_item", "function_signature_item", "macro_definition"],
            scopes: &["impl_item", "trait_item", "mod_item", "foreign_mod_item"],
            ..of(tree_sitter_rust::LANGUAGE)
        },
        "python" => Grammar {
            imports: &["import_statement", "import_from_statement", "future_import_statement"],
            functions: &["function_definition"],
            scopes: &["class_definition"],
            wrappers: &["decorated_definition"],
            ..of(tree_sitter_python::LANGUAGE)
        },
        "javascript" | "jsx" => script(tree_sitter_javascript::LANGUAGE),
        "typescript" => script(tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
        "tsx" => script(tree_sitter_typescript::LANGUAGE_TSX),
        "java" => Grammar {
            imports: &["import_declaration", "package_declaration"],
            functions: &["method_declaration", "constructor_declaration", "compact_constructor_declaration"],
            scopes: &[
                "class_declaration",
                "interface_declaration",
                "enum_declaration",
                "record_declaration",
                "annotation_type_declaration",
            ],
            ..of(tree_sitter_java::LANGUAGE)
        },
        "c" => Grammar {
            imports: &["preproc_include"],
            functions: &["function_definition"],
            scopes: &["linkage_specification"],
            transparent: C_TRANSPARENT,
            ..of(tree_sitter_c::LANGUAGE)
        },
        "cpp" => Grammar {
            imports: &["preproc_include", "using_declaration"],
            functions: &["function_definition"],
            scopes: &["namespace_definition", "class_specifier", "struct_specifier", "linkage_specification"],
            wrappers: &["template_declaration"],
            transparent: C_TRANSPARENT,
            ..of(tree_sitter_cpp::LANGUAGE)
        },
        "go" => Grammar {
            imports: &["import_declaration", "package_clause"],
            functions: &["function_declaration", "method_declaration"],
            ..of(tree_sitter_go::LANGUAGE)
        },
        "csharp" => Grammar {
            imports: &["using_directive", "extern_alias_directive"],
            functions: &[
                "method_declaration",
                "constructor_declaration",
                "destructor_declaration",
                "operator_declaration",
                "property_declaration",
                "indexer_declaration",
                "local_function_statement",
            ],
            scopes: &[
                "namespace_declaration",
                "class_declaration",
                "struct_declaration",
                "interface_declaration",
                "record_declaration",
                "enum_declaration",
            ],
            wrappers: &["global_statement"],
            ..of(tree_sitter_c_sharp::LANGUAGE)
        },
        "ruby" => Grammar {
            functions: &["method", "singleton_method"],
            scopes: &["class", "module", "singleton_class"],
            import_calls: &["require", "require_relative", "load"],
            ..of(tree_sitter_ruby::LANGUAGE)
        },
        "php" => Grammar {
            imports: &["namespace_use_declaration"],
            functions: &["function_definition", "method_declaration"],
            scopes: &[
                "namespace_definition",
                "class_declaration",
                "interface_declaration",
                "trait_declaration",
                "enum_declaration",
            ],
            import_calls: &["require", "require_once", "include", "include_once"],
            ..of(tree_sitter_php::LANGUAGE_PHP)
        },
        "bash" => Grammar {
            functions: &["function_definition"],
            import_calls: &["source", "."],
            ..of(tree_sitter_bash::LANGUAGE)
        },
        "sql" => Grammar { functions: &["statement"], ..of(tree_sitter_sequel::LANGUAGE) },
        _ => return None,
    })
}
