//! Whatever a model would like to say, what comes out is of the shape.

use super::*;
use crate::generate::sample::Sampler;
use carrel_engine::random::Random;
use carrel_engine::seams::Sampling;
use serde_json::Value;

/// Every byte, and some longer tokens that cross the borders of values and characters.
fn vocabulary() -> (Vec<Box<[u8]>>, Vocabulary) {
    let mut tokens: Vec<Box<[u8]>> = vec![Box::default()];
    tokens.extend((0..=255u8).map(|b| Box::from([b])));
    let longer = [
        "{\"",
        "\": ",
        "\", \"",
        "\"}",
        "\"}]",
        "}]}",
        "[{",
        ", ",
        "true",
        "false",
        "null",
        "claim",
        " the",
        "the light",
        "港口",
        "\\n",
        "\\\"",
        "\\",
        "10",
        "1.5",
        "-",
        "00",
        "verdict\":",
        "supported",
        "\"supp",
        "]",
        "😀",
        "\n\n",
        "  ",
    ];
    tokens.extend(longer.iter().map(|t| Box::from(t.as_bytes())));
    // Half a character with what stands before it, and the other half.
    tokens.push(Box::from(&b"a\xE6\xB8"[..]));
    tokens.push(Box::from(&b"\xAF\""[..]));
    let vocabulary = Vocabulary::new(&tokens, vec![0]);
    (tokens, vocabulary)
}

/// A text of the schema, by logits that a seed makes; ended after so many tokens.
fn written(
    schema: &Schema,
    tokens: &[Box<[u8]>],
    vocabulary: &Vocabulary,
    seed: u64,
    most: usize,
) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut shaped = Shapes::default().begin(schema).unwrap();
    let temperature = if seed.is_multiple_of(2) { 0.0 } else { 1.0 };
    let sampling = Sampling { temperature, seed: Some(seed), ..Sampling::default() };
    let mut sampler = Sampler::new(&sampling);
    let mut text = Vec::new();
    for _ in 0..most {
        if shaped.is_over() {
            return text;
        }
        let mut logits: Vec<f32> = tokens.iter().map(|_| random.below(1_000) as f32 / 100.0).collect();
        if seed.is_multiple_of(7) {
            // It would like to repeat one token for ever, or has no wish at all.
            let wish = random.below(4);
            logits
                .iter_mut()
                .enumerate()
                .for_each(|(i, l)| *l = if i == seed as usize % tokens.len() { 99.0 } else { -1e9 });
            if wish == 0 {
                logits.fill(f32::NEG_INFINITY);
            }
        }
        let token = sampler.next(&mut logits, Some(&shaped.mask(vocabulary))).expect("something always fits");
        if token == 0 {
            return text;
        }
        text.extend_from_slice(&tokens[token as usize]);
        shaped.take(&tokens[token as usize]);
    }
    text.extend(shaped.closing());
    text
}

fn shapes() -> Vec<Schema> {
    let claim = Schema::object([
        ("claim", Schema::text(12)),
        ("verdict", Schema::choice(["supported", "unsupported", "contradicted", "supp\"ort", "港"])),
        ("source", Schema::Integer.or_null()),
    ]);
    let deep = (0..8).fold(Schema::Boolean, |inner, i| match i % 2 {
        0 => Schema::list(inner.or_null(), 3),
        _ => Schema::object([("x y\"", inner), ("n", Schema::Number)]),
    });
    vec![
        Schema::object([("claims", Schema::list(claim.clone(), 3)), ("sure", Schema::Boolean)]),
        Schema::Array { items: Box::new(claim), least: 2, most: None },
        Schema::Array { items: Box::new(Schema::Integer), least: 3, most: Some(3) },
        Schema::list(Schema::Number, 0),
        Schema::object::<&str>([]),
        Schema::Text { most: None },
        Schema::text(0),
        Schema::text(3).or_null().or_null(),
        Schema::Number,
        Schema::Integer,
        Schema::Integer.or_null(),
        Schema::choice(["a", "a", "ab"]),
        deep,
    ]
}

#[test]
fn whatever_the_logits_are_the_text_parses_and_keeps_to_the_schema() {
    let (tokens, vocabulary) = vocabulary();
    for schema in shapes() {
        for seed in 0..300 {
            let most = [0, 1, 2, 5, 17, 60, 400][seed as usize % 7];
            let text = written(&schema, &tokens, &vocabulary, seed, most);
            let text = String::from_utf8(text).expect("it is UTF-8");
            let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
            assert_eq!(schema.departure(&value), None, "{text}");
        }
    }
}

#[test]
fn every_text_of_the_schema_can_be_written() {
    let schema = &shapes()[0];
    let grammar = Grammar::compile(schema).unwrap();
    for good in [
        r#"{"claims":[],"sure":true}"#,
        r#"{"claims": [{"claim": "naïve 😀\n", "verdict": "港", "source": null}], "sure": false}"#,
        r#"{"claims": [{"claim": "", "verdict": "unsupported", "source": -12},{"claim": "x", "verdict": "supp\"ort", "source": 0}], "sure": false}"#,
    ] {
        let mut state = State::begin(&grammar);
        assert!(good.bytes().all(|b| state.step(&grammar, b)) && state.is_over(), "{good}");
    }
    for bad in [
        "\u{feff}{",
        r#"{"sure""#,
        r#"{"claims":[{"claim":"thirteen char"#,
        r#"{"claims":[{"claim":"","verdict":"maybe"#,
        r#"{"claims":[{"claim":"","verdict":"港","source":1.5"#,
        r#"{"claims":[{"claim":"","verdict":"港","source":01"#,
        "{\"claims\":[{\"claim\":\"\n",
        r#"{"claims":[],"sure":true} "#,
    ] {
        let mut state = State::begin(&grammar);
        assert!(!bad.bytes().all(|b| state.step(&grammar, b)), "{bad}");
    }
}

#[test]
fn a_mask_allows_what_the_state_takes_and_nothing_else() {
    let (tokens, vocabulary) = vocabulary();
    let grammar = Grammar::compile(&shapes()[0]).unwrap();
    let text = r#"{"claims": [{"claim": "naïve 😀\n", "verdict": "港", "source": -12}], "sure": false}"#;
    let mut state = State::begin(&grammar);
    for byte in text.bytes() {
        let mask = Masks::default().of(&state, &grammar, &vocabulary);
        for (i, token) in tokens.iter().enumerate() {
            let mut tried = state;
            let fits = !token.is_empty() && token.iter().all(|b| tried.step(&grammar, *b));
            assert_eq!(mask.allows(i as u32), fits, "{token:?} after {state:?}");
        }
        assert!(state.step(&grammar, byte));
    }
}

#[test]
fn long_texts_share_their_masks() {
    let (tokens, vocabulary) = vocabulary();
    let shapes = Shapes::default();
    let schema = Schema::text(100_000);
    let mut shaped = shapes.begin(&schema).unwrap();
    shaped.take(b"\"a");
    let first = shaped.mask(&vocabulary);
    shaped.take("the light ".repeat(900).as_bytes());
    assert!(Arc::ptr_eq(&first, &shaped.mask(&vocabulary)));
    let mut again = shapes.begin(&schema).unwrap();
    again.take(b"\"b");
    assert!(Arc::ptr_eq(&first, &again.mask(&vocabulary)), "also between requests");
    assert!(tokens.len() > 256);
}

#[test]
fn a_shape_that_nothing_can_have_is_refused() {
    let deep = (0..20).fold(Schema::Boolean, |inner, _| Schema::list(inner, 1));
    for schema in [Schema::choice::<String>([]), deep] {
        let error = Shapes::default().begin(&schema).err().unwrap();
        assert!(error.to_string().contains("shape"), "{error}");
    }
}
