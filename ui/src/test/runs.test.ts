import { cells } from "../components/Runs";

it("reads rows of tables as words with dots between", () => {
  expect(cells("Customers | name | term | | --- | :---: | | Museum | 30 days |")).toBe(
    "Customers · name · term · Museum · 30 days · ",
  );
  expect(cells("plain --- text")).toBe("plain --- text");
});
