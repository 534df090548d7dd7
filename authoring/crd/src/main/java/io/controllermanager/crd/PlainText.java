package io.controllermanager.crd;

import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.EndElementTree;
import com.sun.source.doctree.EntityTree;
import com.sun.source.doctree.ErroneousTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.StartElementTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.util.DocTrees;
import java.util.List;

/** A documentation comment without its mark-up, on one line. */
final class PlainText {

    private final DocTrees trees;
    private final StringBuilder text = new StringBuilder();

    PlainText(DocTrees trees) {
        this.trees = trees;
    }

    String of(List<? extends DocTree> comment) {
        comment.forEach(this::append);
        return text.toString().replaceAll("\\s+", " ").strip();
    }

    private void append(DocTree tree) {
        if (tree instanceof TextTree plain) {
            text.append(plain.getBody());
        } else if (tree instanceof LiteralTree literal) {
            text.append(literal.getBody().getBody());
        } else if (tree instanceof LinkTree link) {
            if (link.getLabel().isEmpty()) {
                text.append(nameIn(link.getReference().getSignature()));
            } else {
                link.getLabel().forEach(this::append);
            }
        } else if (tree instanceof EntityTree entity) {
            String characters = trees.getCharacters(entity);
            text.append(characters == null ? entity.toString() : characters);
        } else if (tree instanceof StartElementTree element) {
            switch (element.getName().toString()) {
                case "p", "li", "br", "ul", "ol", "pre", "tr", "td", "th" -> text.append(' ');
                case "sup" -> text.append('^');
                default -> {}
            }
        } else if (tree instanceof ErroneousTree erroneous) {
            text.append(erroneous.getBody());
        } else if (!(tree instanceof EndElementTree)) {
            text.append(' ');
        }
    }

    /** What a link shows: {@code Foo#bar(int)} is Foo.bar(int), {@code #bar} is bar, without packages. */
    private static String nameIn(String signature) {
        String shown = signature.replaceAll("\\b(?:[a-z][a-z0-9_]*\\.)+(?=[A-Z])", "");
        return (shown.startsWith("#") ? shown.substring(1) : shown).replace('#', '.');
    }
}
