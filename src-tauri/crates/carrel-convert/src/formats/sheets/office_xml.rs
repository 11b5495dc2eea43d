//! Workbooks as one XML file, as Excel 2002 and 2003 wrote them and reporting programs still do, often under the name of an XLS.

use super::ods::shown_date;
use super::{Cells, Sheet, number, place};
use crate::build::writer::Writer;
use crate::formats::xml::{Id, ROOT, Tree};
use carrel_engine::seams::ConvertError;
use std::collections::HashMap;

/// Reads all sheets, and the title.
pub(super) fn read(xml: &str, writer: &mut Writer) -> Result<Vec<Sheet>, ConvertError> {
    let tree = Tree::parse(xml, "Workbook")?;
    let missing = || ConvertError::Damaged { detail: "it has no workbook".into() };
    let book = tree.child(ROOT, "Workbook").ok_or_else(missing)?;
    if let Some(title) = tree.path(book, &["DocumentProperties", "Title"]) {
        writer.title(&tree.text_of(title));
    }
    let formats = formats(&tree, book);
    let sheets = tree.children(book).filter(|c| tree.name(*c) == "Worksheet");
    Ok(sheets.map(|sheet| read_sheet(&tree, sheet, &formats)).collect())
}

/// The codes of number formats by style; a style has those of its parent.
fn formats(tree: &Tree, book: Id) -> HashMap<&str, &str> {
    let mut formats = HashMap::new();
    for style in tree.child(book, "Styles").into_iter().flat_map(|s| tree.children(s)) {
        let Some(id) = tree.attribute(style, "ID") else { continue };
        let own = tree.child(style, "NumberFormat").and_then(|f| tree.attribute(f, "Format")).map(code);
        let inherited = || formats.get(tree.attribute(style, "Parent")?).copied();
        if let Some(code) = own.or_else(inherited) {
            formats.insert(id, code);
        }
    }
    formats
}

/// The code of a format that is called by a name.
fn code(format: &str) -> &str {
    match format {
        "General Number" => "General",
        "Fixed" => "0.00",
        "Standard" | "Currency" | "Euro Currency" => "#,##0.00",
        "Percent" => "0.00%",
        "Short Date" | "Medium Date" | "Long Date" => "m/d/yyyy",
        "Short Time" | "Medium Time" | "Long Time" => "h:mm:ss",
        "General Date" => "m/d/yyyy h:mm",
        other => other,
    }
}

fn read_sheet(tree: &Tree, sheet: Id, formats: &HashMap<&str, &str>) -> Sheet {
    let mut cells = Cells::default();
    let mut comments = Vec::new();
    let index = |id: Id, name: &str| tree.attribute(id, name).and_then(|i| i.parse::<u32>().ok());
    let mut row = 0_u32;
    for line in tree.child(sheet, "Table").into_iter().flat_map(|t| tree.children(t)) {
        if tree.name(line) != "Row" {
            continue;
        }
        row = index(line, "Index").unwrap_or_else(|| row.saturating_add(1)).max(1);
        let mut column = 0_u32;
        for cell in tree.children(line).filter(|c| tree.name(*c) == "Cell") {
            column = index(cell, "Index").unwrap_or_else(|| column.saturating_add(1)).max(1);
            let format = [cell, line].into_iter().find_map(|id| formats.get(tree.attribute(id, "StyleID")?));
            if let Some(data) = tree.child(cell, "Data")
                && !cells.push(row - 1, column - 1, shown(tree, data, format.copied()))
            {
                break;
            }
            if let Some(comment) = tree.child(cell, "Comment") {
                let text = tree.text_of(tree.child(comment, "Data").unwrap_or(comment));
                if !text.trim().is_empty() {
                    comments.push((place(row - 1, column - 1), text.trim().to_owned()));
                }
            }
            column = column.saturating_add(index(cell, "MergeAcross").unwrap_or(0));
        }
        row = row.saturating_add(index(line, "Span").unwrap_or(0));
    }
    let state = tree.path(sheet, &["WorksheetOptions", "Visible"]);
    Sheet {
        name: tree.attribute(sheet, "Name").unwrap_or_default().to_owned(),
        hidden: state.is_some_and(|s| tree.text_of(s).trim() != "SheetVisible"),
        cells,
        comments,
    }
}

fn shown(tree: &Tree, data: Id, format: Option<&str>) -> String {
    let text = tree.text_of(data);
    let text = text.trim();
    match (tree.attribute(data, "Type"), text.parse::<f64>()) {
        (Some("Number"), Ok(value)) => number::cached(value, format),
        (Some("DateTime"), _) => shown_date(text),
        (Some("Boolean"), Ok(value)) => super::biff::boolean(u8::from(value != 0.0)).to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_where_they_say_and_look_as_their_style_says() {
        let xml = r#"<?xml version="1.0"?><Workbook xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
            <Styles><Style ss:ID="a"><NumberFormat ss:Format="Percent"/></Style><Style ss:ID="b" ss:Parent="a"/></Styles>
            <Worksheet ss:Name="Costs"><Table>
            <Row><Cell><Data ss:Type="String">x &amp; y</Data></Cell><Cell ss:Index="3" ss:StyleID="b"><Data ss:Type="Number">0.25</Data></Cell></Row>
            <Row ss:Index="5"><Cell ss:MergeAcross="1"><Data ss:Type="DateTime">2024-02-01T00:00:00.000</Data></Cell>
            <Cell><Data ss:Type="Boolean">1</Data><Comment><ss:Data><B>so</B></ss:Data></Comment></Cell></Row></Table>
            <WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet></Workbook>"#;
        let sheets = read(xml, &mut Writer::new(1000)).unwrap();
        let [sheet] = sheets.as_slice() else { panic!("one sheet") };
        assert!(sheet.hidden && sheet.name == "Costs");
        let cell = |column, text: &str| (column, text.to_owned());
        assert_eq!(
            sheet.cells.rows,
            [
                (1, vec![cell(0, "x & y"), cell(2, "25.00%")]),
                (5, vec![cell(0, "2024-02-01"), cell(2, "TRUE")])
            ]
        );
        assert_eq!(sheet.comments, [("C5".to_owned(), "so".to_owned())]);
    }
}
