/** Words of the map, by what they name. */
export const groups = {
  countries: "france germany italy spain japan china india egypt brazil canada",
  animals: "dog cat horse cow sheep lion wolf bird fish snake",
  colors: "red blue green yellow black white brown pink purple grey",
  numbers: "two three four five six seven eight nine ten twenty",
  months: "january february march april may june july august october december",
  family: "mother father sister brother daughter son wife husband aunt uncle",
  food: "bread butter cheese milk meat rice soup sugar salt fruit",
};

/** Countries and their capitals. */
export const capitals = [
  ["france", "paris"],
  ["italy", "rome"],
  ["germany", "berlin"],
  ["spain", "madrid"],
  ["england", "london"],
  ["russia", "moscow"],
  ["japan", "tokyo"],
  ["china", "beijing"],
  ["egypt", "cairo"],
  ["greece", "athens"],
  ["sweden", "stockholm"],
  ["poland", "warsaw"],
  ["austria", "vienna"],
  ["iraq", "baghdad"],
  ["cuba", "havana"],
];
