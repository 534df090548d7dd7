package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.informer.Shards;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a process may work by its Leases, and which others it has to look at. */
class DivisionTest {

    private static final String SHARDS = "says that foo has 16 shards by uid, and this process has ";

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            delimiter = '|',
            value = {
                // How foo is worked on here | what the anchor says | in what it disagrees, else what is to be looked
                // at.
                "shared | missing      | -",
                "shared | -            | -",
                "shared | *=own        | own",
                "shared | *=shared     | own",
                "shared | foo=16/uid   | shards",
                "shared | foo=x        | shards",
                "shared | *=own,foo=1  | shards own",
                "own    | missing      | is missing, and this process has one for each",
                "own    | -            | does not say that each controller has a Lease of its own, and this process has one for each",
                "own    | *=shared     | does not say that each controller has a Lease of its own, and this process has one for each",
                "own    | foo=1        | does not say that each controller has a Lease of its own, and this process has one for each",
                "own    | *=own        | -",
                "own    | *=own,bar=16 | -",
                "own    | *=own,foo=1  | shards",
                "own    | *=own,foo=x  | shards",
                "own    | *=own,foo=16/uid | " + SHARDS + "1 shard",
                "own    | foo=16/uid   | " + SHARDS + "1 shard",
                "8      | missing      | is missing, and this process has 8 shards by uid",
                "8      | -            | does not say that foo has shards, and this process has 8 shards by uid",
                "8      | *=own        | does not say that foo has shards, and this process has 8 shards by uid",
                "8      | foo=1        | says that foo has 1 shard, and this process has 8 shards by uid",
                "8      | foo=16/uid   | " + SHARDS + "8 shards by uid",
                "8      | foo=8/uid    | shards",
                "8      | foo=8/uid,*=own    | shards own",
                "8      | foo=8/uid,*=shared | shards own",
            })
    void theAnchorDecides(String here, @Nullable String said, @Nullable String outcome) {
        boolean whole = here.equals("shared") || here.equals("own");
        Shards shards = whole ? Shards.ONE : new Shards(Integer.parseInt(here), Shards.By.UID);
        Division division = new Division("foo", shards, here.equals("own"));
        Divisions anchor = "missing".equals(said) ? null : Divisions.parse(said);

        String disagreement = division.disagreement(anchor, "ns/cm");
        if (outcome != null && outcome.contains("this process")) {
            assertThat(disagreement).isEqualTo("Lease ns/cm " + outcome);
        } else {
            assertThat(disagreement).isNull();
            Division.Others others = division.others(anchor == null ? Divisions.NONE : anchor);
            List<String> looks = new ArrayList<>();
            if (others.ofShards()) {
                looks.add("shards");
            }
            if (others.own()) {
                looks.add("own");
            }
            assertThat(String.join(" ", looks)).isEqualTo(outcome == null ? "" : outcome);
        }
    }
}
