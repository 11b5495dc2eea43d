/** The library that always exists, as the program names it. What people call it stands in the catalogue: see `libraryName`. */
export const DEFAULT_LIBRARY = "default";
