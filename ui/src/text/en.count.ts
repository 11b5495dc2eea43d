/** Counting in English. */

export const plural = (n: number, one: string, many: string) => (n === 1 ? one : many);
export const number = (n: number) => new Intl.NumberFormat("en").format(n);
